//! `bench symbolic --corpus`: our verdict and Boogie's on every model of the corpus, with the same bounds.
//!
//! Loops and recursion are followed equally far, with one difference: Boogie has one budget for all rounds inside of an outermost loop, and counts
//! rounds that are certain, which we do not. So where we find something that Boogie does not, Boogie gets a larger budget, until it does, or does not
//! answer in time; what it does not find with the largest one is a disagreement.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use caissa_model::emit;
use caissa_model::ir::{Block, Program, StmtKind};
use caissa_model::sequentialize::Bounds;
use caissa_model::symbolic::unroll::Unwinding;

use super::boogie;
use super::ours::{Depth, Question, Verdict};
use crate::figures::short;
use crate::machine::Machine;
use crate::section::said;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Only models with one of these in their names; all if there are none.
    pub only: Vec<String>,
    /// How long each of the two has for a model and bounds, in seconds.
    pub seconds: u64,
}

/// How far both follow loops and recursion.
const MOST: Unwinding = Unwinding { loops: 3, recursion: 2 };

/// Boogie's budgets for loops, one after the other.
const BUDGETS: [u32; 4] = [MOST.loops, 3 * MOST.loops, 6 * MOST.loops, 12 * MOST.loops];

/// Rounds of buffers and of tasks.
const ROUNDS: [(u32, u32); 4] = [(1, 1), (1, 2), (2, 1), (2, 2)];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Judged {
    Agree,
    /// One of them did not answer.
    Undecided,
    Disagree,
}

/// A model with bounds.
struct Case {
    question: Question,
    rounds: (u32, u32),
}

/// What came of one.
struct Compared {
    judged: Judged,
    row: String,
}

/// All models with all bounds that make a difference.
fn cases(part: &Part) -> Result<Vec<Case>, String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/model"));
    let mut names = Vec::new();
    for kind in ["fail", "pass"] {
        let error = |error| format!("corpus/model/{kind}: {error}");
        for entry in fs::read_dir(folder.join(kind)).map_err(error)? {
            let file = entry.map_err(error)?.file_name().to_string_lossy().into_owned();
            if let Some(name) = file.strip_suffix(".cai") {
                names.push(format!("{kind}/{name}"));
            }
        }
    }
    names.sort();
    names.retain(|name| part.only.is_empty() || part.only.iter().any(|only| name.contains(only)));
    if names.is_empty() {
        return Err("no model of corpus/model has such a name".to_owned());
    }
    let mut cases = Vec::new();
    for name in names {
        let text = fs::read_to_string(folder.join(format!("{name}.cai")));
        let text = text.map_err(|error| format!("corpus/model/{name}.cai: {error}"))?;
        for rounds @ (buffers, tasks) in ROUNDS {
            let (name, text) = (name.clone(), text.clone());
            let bounds = Bounds::Rounds { buffers, tasks };
            let question = Question { name, text, sets: Vec::new(), bounds, most: MOST };
            let program = question.program()?;
            if (buffers == 1 || program.buffers.len() > 1) && (tasks == 1 || has_posts(&program)) {
                cases.push(Case { question, rounds });
            }
        }
    }
    Ok(cases)
}

/// Whether there may be several tasks in a buffer.
fn has_posts(program: &Program) -> bool {
    fn posts(block: &Block) -> bool {
        block.iter().any(|stmt| match &stmt.kind {
            StmtKind::Post { .. } | StmtKind::Poll => true,
            StmtKind::If(_, yes, no) => posts(yes) || posts(no),
            StmtKind::While(_, body) => posts(body),
            _ => false,
        })
    }
    program.procs.iter().any(|proc| posts(&proc.body))
}

fn judge(ours: Verdict, boogie: &boogie::Verdict) -> Judged {
    match (ours, boogie) {
        (Verdict::Undecided, _) | (_, boogie::Verdict::Undecided) => Judged::Undecided,
        (Verdict::Wrong, boogie::Verdict::Error) => Judged::Agree,
        (Verdict::Right | Verdict::RightSoFar, boogie::Verdict::Verified) => Judged::Agree,
        _ => Judged::Disagree,
    }
}

impl Case {
    fn compare(&self, limit: Duration) -> Result<Compared, String> {
        let ours = self.question.measure(Depth::Growing, limit, Duration::ZERO)?;
        let program = self.question.sequential(false)?;
        let frames = MOST.recursion + 1;
        let mut budgets = BUDGETS.into_iter();
        let (loops, boogie) = loop {
            let loops = budgets.next().expect("the last one is the last to be taken");
            let decided = boogie::decide(&program, emit::Bounds { loops, frames }, limit)?;
            let missed = ours.verdict == Verdict::Wrong && decided.verdict == boogie::Verdict::Verified;
            if !missed || budgets.len() == 0 {
                break (loops, decided);
            }
        };
        let mut judged = judge(ours.verdict, &boogie.verdict);
        if ours.verdict == Verdict::Wrong && !ours.played {
            judged = Judged::Disagree;
        }
        let said = match judged {
            Judged::Agree => "agree",
            Judged::Undecided => "",
            Judged::Disagree if ours.verdict == Verdict::Wrong && !ours.played => "NOT PLAYED",
            Judged::Disagree => "DISAGREE",
        };
        let (buffers, tasks) = self.rounds;
        let budget = if loops == MOST.loops { String::new() } else { format!(" within {loops} rounds") };
        let row = format!(
            "| {} | {buffers}, {tasks} | {} | {} | {}{budget} | {} | {said} |",
            self.question.name,
            ours.verdict.name(),
            short(ours.seconds * 1e3),
            boogie.verdict.name(),
            short(boogie.seconds * 1e3),
        );
        Ok(Compared { judged, row })
    }
}

/// Compares, with as many workers as there are cores, and prints each row as soon as those before it are there.
fn compare(cases: &[Case], limit: Duration) -> Vec<Compared> {
    let next = AtomicUsize::new(0);
    let done: Mutex<(usize, Vec<Option<Compared>>)> = Mutex::new((0, cases.iter().map(|_| None).collect()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { break };
            said(&format!("{} of {}: {} {:?}", at + 1, cases.len(), case.question.name, case.rounds));
            let compared = case.compare(limit).unwrap_or_else(|error| Compared {
                judged: Judged::Disagree,
                row: format!("| {} | {:?} | {} |", case.question.name, case.rounds, error.trim_end()),
            });
            let mut done = done.lock().expect("nobody panics with it");
            done.1[at] = Some(compared);
            while let Some(Some(ready)) = done.1.get(done.0) {
                println!("{}", ready.row);
                done.0 += 1;
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    said("");
    let (_, all) = done.into_inner().expect("nobody panics with it");
    all.into_iter().map(|compared| compared.expect("all were taken")).collect()
}

/// Compares and prints; whether they never disagreed.
pub fn run(part: &Part) -> Result<bool, String> {
    print!("{}", Machine::this());
    println!("{}", boogie::versions()?);
    let cases = cases(part)?;
    println!("\n## Verdicts on the corpus\n");
    println!(
        "Loops for {} rounds, {} frames of a procedure beyond the first, {} s for each.\n",
        MOST.loops, MOST.recursion, part.seconds
    );
    println!("| model | K1, K2 | caissa | CPU ms | boogie | ms | |");
    println!("|---|---|---|--:|---|--:|---|");
    let compared = compare(&cases, Duration::from_secs(part.seconds));
    let count = |judged: Judged| compared.iter().filter(|compared| compared.judged == judged).count();
    let (agree, undecided, disagree) =
        (count(Judged::Agree), count(Judged::Undecided), count(Judged::Disagree));
    println!("\nof {}: {agree} agree, {undecided} undecided, {disagree} DISAGREE", compared.len());
    Ok(disagree == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_contradictions_are_disagreements() {
        use boogie::Verdict::{Error, Undecided, Verified};
        assert_eq!(judge(Verdict::Wrong, &Error), Judged::Agree);
        assert_eq!(judge(Verdict::Wrong, &Verified), Judged::Disagree);
        assert_eq!(judge(Verdict::Right, &Error), Judged::Disagree);
        assert_eq!(judge(Verdict::RightSoFar, &Error), Judged::Disagree);
        assert_eq!(judge(Verdict::RightSoFar, &Verified), Judged::Agree);
        assert_eq!(judge(Verdict::Right, &Undecided), Judged::Undecided);
        assert_eq!(judge(Verdict::Undecided, &Error), Judged::Undecided);
    }

    #[test]
    fn bounds_that_make_no_difference_are_left_out() {
        let rounds = |only: &str| -> Vec<(u32, u32)> {
            let cases = cases(&Part { only: vec![only.to_owned()], seconds: 1 }).expect("it is there");
            cases.iter().map(|case| case.rounds).collect()
        };
        assert_eq!(rounds("fail/figure10"), ROUNDS);
        assert_eq!(rounds("fail/figure9"), [(1, 1), (1, 2)]);
        assert!(cases(&Part { only: vec!["no such model".to_owned()], seconds: 1 }).is_err());
    }
}
