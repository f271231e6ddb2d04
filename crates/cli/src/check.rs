//! `caissa check`.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use caissa_check::{Check, Report, Search, Settings};
use caissa_search::{Stopped, Verdict};

use crate::args::{self, Engine};
use crate::{Mistake, explicit, model};

/// Checks a model and prints what came of it.
pub fn check(args: &args::Check) -> Result<ExitCode, Mistake> {
    let model = model::load(&args.target, &args.sets)?;
    if args.search == args::Search::Delays {
        let program = model.code.program();
        let (buffers, levels) = (program.buffers.len(), program.levels.len());
        if buffers > 1 || levels > 1 || program.levels[0].serial {
            return Err(Mistake(format!(
                "error: delaying schedulers apply to one buffer and one level that is not serial; this model has {buffers} \
                 buffers and {levels} levels\nhelp: use --search preemptions\n"
            )));
        }
    }
    let interrupted = model.interrupted;
    let report = match args.engine {
        Engine::Explicit => explicit::check(model, args)?,
        Engine::Stateless => {
            if args.rounds.is_some() || args.yields.is_some() || args.shortest || args.compact {
                return Err(Mistake(
                    "error: --rounds, --yields, --shortest and --compact need states\nhelp: add --engine explicit\n"
                        .to_owned(),
                ));
            }
            if args.search == args::Search::Bfs {
                return Err(Mistake(
                    "error: --search bfs needs states\nhelp: add --engine explicit, or use --search dfs\n"
                        .to_owned(),
                ));
            }
            Check::new(model, settings(args)?)?.search()?
        }
    };
    print(&report, args.json);
    if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
        && report.summary.stopped == Some(Stopped::Interrupted)
    {
        return Ok(ExitCode::from(130));
    }
    Ok(exit_code(&report))
}

/// Prints a report.
pub fn print(report: &Report, json: bool) {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    // Nobody may be there any more to read it, which is no reason to fail.
    let _ = if json { writeln!(out, "{}", report.to_json()) } else { write!(out, "{report}") };
}

/// The exit code that tells the verdict.
pub fn exit_code(report: &Report) -> ExitCode {
    ExitCode::from(match report.verdict {
        Verdict::Bug => 1,
        Verdict::Diverged => 3,
        Verdict::Incomplete if report.must_be_complete() => 4,
        Verdict::Verified | Verdict::Bounded | Verdict::Incomplete => 0,
    })
}

/// The settings of a check.
pub fn settings(args: &args::Check) -> Result<Settings, Mistake> {
    let time = match args.time {
        Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
            Mistake(format!("error: --time {seconds}: a number of seconds is expected, as in --time 60\n"))
        })?),
        None => None,
    };
    Ok(Settings {
        search: search(args.search),
        bound: args.bound.map(Some),
        scheduler: match args.scheduler {
            args::Scheduler::Rr => "rr",
            args::Scheduler::DepthFirst => "depth-first",
            args::Scheduler::DepthFirstPlain => "depth-first-plain",
        }
        .to_owned(),
        max_executions: args.max_executions,
        memory: args.memory.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        time,
        max_steps: args.max_steps,
        resume: args.resume.clone(),
        seed: args.seed,
        pct_depth: args.pct_depth,
        workers: args.workers,
        faults: 0,
        fair: args.no_fair.then_some(false),
        fair_k: args.fair_k,
        races: !args.no_races,
        keep_going: args.keep_going,
        complete: args.complete,
        full: args.full,
        trace_file: args.trace.clone(),
        progress: if args.quiet { Duration::ZERO } else { Duration::from_secs(2) },
        ..Settings::default()
    })
}

fn search(search: args::Search) -> Search {
    match search {
        args::Search::Auto | args::Search::Bfs => Search::Auto,
        args::Search::Preemptions => Search::Preemptions,
        args::Search::Delays => Search::Delays,
        args::Search::Contexts => Search::Contexts,
        args::Search::Depth => Search::Depth,
        args::Search::Dfs => Search::Dfs,
        args::Search::Random => Search::Random,
        args::Search::Pct => Search::Pct,
        args::Search::Pos => Search::Pos,
        args::Search::Surw => Search::Surw,
    }
}
