//! `caissa verify`.

mod bounds;
mod emit;
mod telling;

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use caissa_check::{Check, Search, Settings};
use caissa_core::{AtCut, Ending, Failure, GuideSpec};
use caissa_model::Model;
use caissa_model::explicit::Found;
use caissa_model::sequentialize::{Bounds, sequentialize};
use caissa_model::symbolic::ask::{Asked, Told, ask};
use caissa_model::symbolic::decide::{Decide, Limits, Trouble, batsat};
use caissa_model::symbolic::pipe::Pipe;
use caissa_model::symbolic::play::play;
use caissa_model::symbolic::timeline::{Within, timeline};
use caissa_model::symbolic::unroll::Unwinding;
use caissa_search::Stopped;

use crate::attending::Attended;
use crate::check::{exit_code, print};
use crate::{Mistake, args, model};

/// Unrolling follows the nesting of the program.
const STACK: usize = 1 << 30;

/// A question, and what came of it.
struct Answer {
    bounds: Bounds,
    asked: Asked,
    took: Duration,
}

/// What came of all questions.
#[derive(Default)]
struct Outcome {
    answers: Vec<Answer>,
    found: Option<Found>,
    /// Why the next question has no answer, and which it was.
    trouble: Option<(Bounds, Trouble)>,
}

/// Verifies a model and prints what came of it.
pub fn verify(args: &args::Verify) -> Result<ExitCode, Mistake> {
    let mut model = model::load(&args.target, &args.sets, args.overflow)?;
    let questions = bounds::questions(args, &model)?;
    if let Some(format) = args.emit {
        return emit::emit(args, &model, format, *questions.last().expect("there is a question"));
    }
    let settings = settings(args, &model);
    // Before anything is asked: a trace that cannot be written is not looked for in vain.
    settings.validate()?;
    if model.has_plain() {
        // A replay that looks for races may end at one.
        model.target.push_str(" --no-races");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits { stop: Arc::clone(&stop), memory: Some(args.memory.saturating_mul(1 << 20)) };
    // A solver that is not there is a mistake at once.
    drop(solver(args, &limits).map_err(|trouble| Mistake(format!("error: {trouble}\n")))?);
    let started = Instant::now();
    let now = Mutex::new(String::new());
    let line = |elapsed: Duration| {
        let now = now.lock().unwrap_or_else(PoisonError::into_inner);
        format!("caissa: {now}, {:.0} s", elapsed.as_secs_f64())
    };
    let attended =
        Attended { stop: &stop, time: args.time, interrupted: model.interrupted, quiet: args.quiet };
    let (told, asked_to_stop) = attended.during(&line, || {
        std::thread::scope(|scope| {
            let work = || put(args, &model, &questions, &limits, &now);
            let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            let told = worker.expect("there is room for a stack").join();
            told.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    let stopped = match &told.trouble {
        Some((_, Trouble::Stopped)) => asked_to_stop,
        Some((_, Trouble::Memory { .. })) => Some(Stopped::Memory),
        _ => None,
    };
    let failure = told.found.as_ref().map(|found| failure(found, questions[0]));
    let answered = telling::answered(&model, args, &told, &questions, failure, stopped);
    let steps = told.found.as_ref().map_or(0, |found| found.depth);
    let settings = Settings { max_steps: settings.max_steps.max(steps.saturating_mul(2)), ..settings };
    let mut report = Check::new(model, settings)?.report_answers(answered)?;
    report.elapsed = started.elapsed();
    print(&report, args.json);
    match (&told.trouble, stopped) {
        (Some(_), Some(Stopped::Interrupted)) => Ok(ExitCode::from(130)),
        (Some((_, trouble)), None) => Err(Mistake(format!("error: {trouble}\n"))),
        _ => Ok(exit_code(&report)),
    }
}

/// Asks one question after the other, until one is answered by a bug.
fn put(
    args: &args::Verify,
    model: &Model,
    questions: &[Bounds],
    limits: &Limits,
    now: &Mutex<String>,
) -> Outcome {
    let mut told = Outcome::default();
    for &bounds in questions {
        *now.lock().unwrap_or_else(PoisonError::into_inner) = bounds::words(bounds);
        let started = Instant::now();
        let covered = bounds::covered(args, bounds, true);
        let sequential = sequentialize(model.code.program(), covered).expect("that was looked at");
        let most = Unwinding { loops: args.loops, recursion: args.recursion };
        let answer = solver(args, limits).and_then(|mut solver| ask(&sequential, &mut *solver, most, limits));
        let asked = match answer {
            Ok(asked) => asked,
            Err(trouble) => {
                told.trouble = Some((bounds, trouble));
                break;
            }
        };
        if let Told::Wrong(events) = &asked.told {
            let order = match bounds {
                Bounds::Delays(_) => Within::Parts,
                _ => Within::Tasks,
            };
            let found = play(&model.code, &timeline(events, order));
            told.found = Some(found.unwrap_or_else(|why| {
                panic!("what the solver found is no execution of the model ({why}); that is a bug of caissa")
            }));
        }
        told.answers.push(Answer { bounds, asked, took: started.elapsed() });
        if told.found.is_some() {
            break;
        }
    }
    told
}

/// The solver that was asked for.
fn solver(args: &args::Verify, limits: &Limits) -> Result<Box<dyn Decide>, Trouble> {
    match args.solver.trim() {
        "batsat" => Ok(Box::new(batsat(limits.clone()))),
        #[cfg(feature = "cadical")]
        "cadical" => Ok(Box::new(caissa_model::symbolic::decide::cadical(limits.clone()))),
        #[cfg(not(feature = "cadical"))]
        "cadical" => Err(Trouble::Missing {
            command: "cadical".to_owned(),
            why: "this caissa was built without it; build it with --features cadical, or use batsat"
                .to_owned(),
        }),
        command => Ok(Box::new(Pipe::start(command, args.solver_time, limits.clone())?)),
    }
}

/// What was found, as a search would have found it.
fn failure(found: &Found, bounds: Bounds) -> Failure {
    let guide = match bounds {
        Bounds::Delays(_) => GuideSpec::Delaying("depth-first-plain".to_owned()),
        _ => GuideSpec::NonPreemptive,
    };
    Failure {
        choices: found.choices.clone(),
        guide,
        at_cut: AtCut::Stop,
        ending: Ending::Panicked,
        step: 0,
        repeat: None,
    }
}

/// How what was found is confirmed and made small.
fn settings(args: &args::Verify, model: &Model) -> Settings {
    let (search, scheduler) = match args.delays {
        Some(_) => (Search::Delays, "depth-first-plain"),
        None => (Search::Preemptions, "rr"),
    };
    Settings {
        search,
        scheduler: scheduler.to_owned(),
        bound: Some(None),
        faults: 0,
        fair: Some(false),
        races: !model.has_plain(),
        complete: args.complete,
        full: args.full,
        trace_file: args.trace.clone(),
        progress: Duration::ZERO,
        ..Settings::default()
    }
}
