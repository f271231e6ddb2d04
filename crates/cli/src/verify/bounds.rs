//! Which questions are asked: bounds from the smallest ones on.

use caissa_model::Model;
use caissa_model::sequentialize::{Bounds, Covered, has_rounds, sequentialize};

use crate::Mistake;
use crate::args::{Translation, Verify};

/// Rounds if nothing is said.
const ROUNDS: u32 = 2;

/// Copies of globals, in all: more make formulas that fit nowhere.
const MOST_COPIES: u64 = 1_000_000;

/// The bounds, in the order in which they are asked about: no bounds come before smaller ones.
pub fn questions(args: &Verify, model: &Model) -> Result<Vec<Bounds>, Mistake> {
    let program = model.code.program();
    let most = match (args.translation, args.delays) {
        (Translation::LalReps, _) => Bounds::Threads(args.rounds.unwrap_or(ROUNDS)),
        (Translation::Shared, _) => Bounds::Shared(args.yields.unwrap_or(ROUNDS)),
        (Translation::Rounds, Some(delays)) => Bounds::Delays(delays),
        (Translation::Rounds, None) => {
            let (zields, yields) = has_rounds(program, !args.no_reorder);
            // More rounds than can make a difference are the same as one.
            let buffers = if zields { args.rounds.unwrap_or(ROUNDS) } else { 1 };
            let tasks = if yields { args.yields.unwrap_or(ROUNDS) } else { 1 };
            Bounds::Rounds { buffers, tasks }
        }
    };
    let copies = match most {
        Bounds::Rounds { buffers, tasks } => u64::from(buffers) * u64::from(tasks),
        Bounds::Delays(most) | Bounds::Threads(most) | Bounds::Shared(most) => u64::from(most) + 1,
    };
    let size: u64 = program.globals.iter().map(|global| u64::from(global.size())).sum();
    let levels = program.levels.len() as u64 + 1;
    let size = size.saturating_mul(copies).saturating_mul(levels);
    if size > MOST_COPIES {
        return Err(Mistake(format!(
            "error: with these bounds there would be {size} copies of globals, and there may be {MOST_COPIES}\n\
             help: use fewer rounds or delays, or set constants of the model so that its arrays are smaller (--set)\n"
        )));
    }
    let smallest = match most {
        Bounds::Delays(_) => Bounds::Delays(0),
        other => other,
    };
    if let Err(unfit) = sequentialize(program, covered(args, smallest, false)) {
        let help = match smallest {
            Bounds::Delays(_) => "use --rounds and --yields",
            _ => "use --translation rounds",
        };
        return Err(Mistake(format!("error: {unfit}\nhelp: {help}\n")));
    }
    Ok(match most {
        Bounds::Rounds { buffers, tasks } => {
            let all = (1..=buffers).flat_map(|buffers| (1..=tasks).map(move |tasks| (buffers, tasks)));
            let mut all: Vec<(u32, u32)> = all.collect();
            all.sort_by_key(|&(buffers, tasks)| (buffers + tasks, buffers));
            all.into_iter().map(|(buffers, tasks)| Bounds::Rounds { buffers, tasks }).collect()
        }
        Bounds::Delays(most) => (0..=most).map(Bounds::Delays).collect(),
        other => vec![other],
    })
}

/// What of the model is covered by a question.
pub fn covered(args: &Verify, bounds: Bounds, limits: bool) -> Covered {
    Covered { bounds, reorder: !args.no_reorder, limits, observed: false }
}

/// Bounds in words.
pub fn words(bounds: Bounds) -> String {
    let rounds = |count: u32| if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") };
    match bounds {
        Bounds::Rounds { buffers, tasks } => format!("{} of buffers and {tasks} of tasks", rounds(buffers)),
        Bounds::Delays(1) => "1 delay".to_owned(),
        Bounds::Delays(most) => format!("{most} delays"),
        Bounds::Threads(count) => format!("{} of threads", rounds(count)),
        Bounds::Shared(count) => format!("{} of all tasks", rounds(count)),
    }
}

/// Whether bounds are no larger than others in any way, and not the same.
pub fn is_smaller(bounds: Bounds, than: Bounds) -> bool {
    match (bounds, than) {
        (Bounds::Rounds { buffers, tasks }, Bounds::Rounds { buffers: more, tasks: others }) => {
            buffers <= more && tasks <= others && bounds != than
        }
        (Bounds::Delays(most), Bounds::Delays(more)) => most < more,
        _ => false,
    }
}
