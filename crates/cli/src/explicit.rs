//! `caissa check --engine explicit`.

use std::io::{IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use caissa_check::{Check, Report, Settings, StatesExplored};
use caissa_core::{AtCut, Ending, Failure, GuideSpec, Repeat};
use caissa_model::Model;
use caissa_model::explicit::{self, Delaying, Ended, Explored, Order, Rounds, Watched, Wrong};
use caissa_search::Stopped;

use crate::Mistake;
use crate::args::{self, Scheduler, Search};
use crate::check::settings;

/// How often progress is shown: on a terminal, and else.
const EVERY: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];

/// Explores the states of a model.
pub fn check(mut model: Model, args: &args::Check) -> Result<Report, Mistake> {
    let checked = settings(args)?;
    if args.resume.is_some() {
        return Err(Mistake(
            "error: --resume: explored states are not saved\nhelp: use --engine stateless, or a larger --time or --memory\n"
                .to_owned(),
        ));
    }
    let order = order(args)?;
    let started = Instant::now();
    let explicit = explicit::Settings {
        order,
        workers: args.workers as u32,
        memory: checked.memory.unwrap_or(explicit::Settings::default().memory),
        max_states: args.max_executions.unwrap_or(u64::MAX),
        compact: args.compact,
        // That needs every state as it is.
        liveness: !args.no_fair && !args.compact,
        ..explicit::Settings::default()
    };
    let rounds = rounds(args)?;
    let (explored, stopped) = explore(&model, &explicit, rounds, args, checked.time);
    let bounds = match order {
        Order::BreadthFirst | Order::DepthFirst => {
            let all = explored.found.is_none() && explored.ended.is_none() && !explored.long;
            vec![(0, explored.states, all)]
        }
        _ => explored.bounds.iter().map(|bound| (bound.bound, bound.states, bound.complete)).collect(),
    };
    let notes = notes(&model, &explored, &explicit, rounds);
    let endless = explored.found.as_ref().is_some_and(|found| found.repeat.is_some());
    // What a schedule costs in delays only its scheduler can say.
    let guide = match order {
        Order::Delays(..) => GuideSpec::Delaying(checked.scheduler.clone()),
        _ => GuideSpec::NonPreemptive,
    };
    let failure = explored.found.map(|found| {
        let failure = Failure {
            choices: found.choices,
            guide: guide.clone(),
            at_cut: AtCut::Stop,
            ending: match found.wrong {
                Wrong::Deadlock => Ending::Deadlock,
                Wrong::Livelock | Wrong::GoodSamaritan => Ending::StepLimit,
                Wrong::Fault(_) | Wrong::Spins => Ending::Panicked,
            },
            step: 0,
            repeat: found.repeat.map(|(from, to)| Repeat { from, to }),
        };
        (failure, found.spent.unwrap_or(0))
    });
    // Its schedules are no fair scheduler's.
    model.settings.known_fair = endless;
    let minimise = if args.shortest { 1 } else { checked.minimise };
    // It does not look for races; an execution that it has found may well have one.
    let plain = model.code.program().globals.iter().any(|global| global.plain);
    if plain {
        model.target.push_str(" --no-races");
    }
    let races = checked.races && !plain;
    let checked = Settings { fair: Some(false), fair_k: None, minimise, races, ..checked };
    let states = StatesExplored {
        bounds,
        transitions: explored.transitions,
        complete: explored.complete,
        cut_off: explored.long,
        stopped,
        failure,
        notes,
        within: rounds
            .map(|rounds| format!("{} rounds of buffers and {} of tasks", rounds.buffers, rounds.tasks)),
    };
    let mut report = Check::new(model, checked)?.report_states(states)?;
    report.elapsed = started.elapsed();
    Ok(report)
}

fn order(args: &args::Check) -> Result<Order, Mistake> {
    let bound = args.bound;
    Ok(match args.search {
        Search::Auto | Search::Bfs => Order::BreadthFirst,
        Search::Dfs => Order::DepthFirst,
        Search::Preemptions => Order::Preemptions(bound),
        Search::Delays => match args.scheduler {
            Scheduler::Rr => Order::Delays(Delaying::RoundRobin, bound),
            Scheduler::DepthFirst => Order::Delays(Delaying::DepthFirst, bound),
            Scheduler::DepthFirstPlain => {
                return Err(Mistake(
                    "error: the explicit engine has no plain depth-first scheduler\nhelp: use --scheduler depth-first\n"
                        .to_owned(),
                ));
            }
        },
        other => {
            return Err(Mistake(format!(
                "error: --search {} is about executions\nhelp: with --engine explicit use auto, bfs, dfs, preemptions or delays\n",
                format!("{other:?}").to_lowercase()
            )));
        }
    })
}

/// The rounds that were asked for.
fn rounds(args: &args::Check) -> Result<Option<Rounds>, Mistake> {
    if args.shortest && !matches!(args.search, Search::Auto | Search::Bfs) {
        return Err(Mistake("error: --shortest goes with --search bfs only\n".to_owned()));
    }
    if args.compact && !matches!(args.search, Search::Auto | Search::Bfs) {
        return Err(Mistake("error: --compact goes with --search bfs only\n".to_owned()));
    }
    if args.rounds.is_none() && args.yields.is_none() {
        return Ok(None);
    }
    if !matches!(args.search, Search::Auto | Search::Bfs) {
        return Err(Mistake(
            "error: --rounds and --yields are bounds of their own\nhelp: leave --search out\n".to_owned(),
        ));
    }
    let (buffers, tasks) = (args.rounds.unwrap_or(1), args.yields.unwrap_or(1));
    if buffers == 0 || tasks == 0 {
        return Err(Mistake("error: --rounds and --yields are at least 1\n".to_owned()));
    }
    Ok(Some(Rounds { buffers, tasks, reorder: !args.no_reorder }))
}

/// Explores while somebody shows how far it is and minds the time.
fn explore(
    model: &Model,
    settings: &explicit::Settings,
    rounds: Option<Rounds>,
    args: &args::Check,
    time: Option<Duration>,
) -> (Explored, Option<Stopped>) {
    let watched = Watched::default();
    let (done, timed_out) = (AtomicBool::new(false), AtomicBool::new(false));
    let explored = std::thread::scope(|scope| {
        let attendant = scope.spawn(|| {
            let (started, mut shown) = (Instant::now(), Instant::now());
            let terminal = std::io::stderr().is_terminal();
            while !done.load(Ordering::Acquire) {
                if time.is_some_and(|time| started.elapsed() >= time) {
                    timed_out.store(true, Ordering::Relaxed);
                    watched.stop.store(true, Ordering::Relaxed);
                }
                if model.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    watched.stop.store(true, Ordering::Relaxed);
                }
                if !args.quiet && shown.elapsed() >= EVERY[!terminal as usize] {
                    shown = Instant::now();
                    show(&watched, settings, started.elapsed(), terminal);
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
            if terminal && shown > started {
                eprint!("\r\x1b[K");
            }
        });
        let explored = match rounds {
            Some(rounds) => explicit::explore_rounds(&model.code, rounds, settings, &watched),
            None => explicit::explore(&model.code, settings, &watched),
        };
        done.store(true, Ordering::Release);
        attendant.thread().unpark();
        explored
    });
    let stopped = explored.ended.map(|ended| match ended {
        Ended::Memory => Stopped::Memory,
        Ended::States => Stopped::Executions,
        Ended::Asked if timed_out.load(Ordering::Relaxed) => Stopped::Time,
        Ended::Asked => Stopped::Interrupted,
    });
    (explored, stopped)
}

fn show(watched: &Watched, settings: &explicit::Settings, elapsed: Duration, terminal: bool) {
    let states = watched.states.load(Ordering::Relaxed);
    let seconds = elapsed.as_secs_f64();
    let bound = match settings.order {
        Order::BreadthFirst | Order::DepthFirst => String::new(),
        _ => format!(", bound {}", watched.bound.load(Ordering::Relaxed)),
    };
    let line = format!("caissa: {states} states, {:.0}/s{bound}, {seconds:.0} s", states as f64 / seconds);
    let mut err = std::io::stderr().lock();
    let _ = if terminal { write!(err, "\r\x1b[K{line}") } else { writeln!(err, "{line}") };
    let _ = err.flush();
}

/// What is to be said beside the verdict.
fn notes(
    model: &Model,
    explored: &Explored,
    settings: &explicit::Settings,
    rounds: Option<Rounds>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if rounds.is_some() {
        notes.push("within rounds neither deadlocks nor executions without end are looked for.".to_owned());
    }
    if explored.long {
        notes.push(
            "some task runs for very long without a point; what comes after that was not looked at."
                .to_owned(),
        );
    }
    if settings.compact && rounds.is_none() {
        let odds = explicit::collision_odds(explored.states);
        notes.push(format!(
            "fingerprints were kept instead of states: the odds that some state was taken for another one and left out are about \
             {odds:.0e}. Executions without end were not looked for."
        ));
    }
    let program = model.code.program();
    if explored.found.is_none() && !explored.complete && settings.liveness && rounds.is_none() {
        notes.push(
            "executions without end are looked for only where all states are explored; --engine stateless finds them under bounds."
                .to_owned(),
        );
    }
    if explored.found.is_none() && explored.complete && settings.liveness && !explored.liveness {
        notes.push(
            "executions without end were not looked for: there are more than 64 tasks at a time.".to_owned(),
        );
    }
    if program.globals.iter().any(|global| global.plain) {
        notes.push(
            "data races on plain globals are not looked for by this engine; --engine stateless does."
                .to_owned(),
        );
    }
    notes
}
