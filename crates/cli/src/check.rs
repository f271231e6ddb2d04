//! `caissa check`.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use caissa_check::{Check, Report, Search, Settings};
use caissa_search::{Stopped, Verdict};

use crate::args::{self, Engine};
use crate::{Mistake, contradictions, explicit, model, native};

/// Checks a model and prints what came of it.
pub fn check(args: &args::Check) -> Result<ExitCode, Mistake> {
    if native::is_native(&args.target) {
        return native::check(args);
    }
    contradictions::refuse_native(args)?;
    contradictions::refuse(args)?;
    let settings = settings(args);
    // Before anything is explored: a trace that cannot be written is not looked for in vain.
    settings.validate()?;
    let mut model = model::load(&args.target, &args.sets, args.overflow)?;
    contradictions::refuse_delays(args, &model)?;
    if model.has_plain() && (args.no_races || args.engine == Engine::Explicit) {
        // A replay that looks for races may end at one.
        model.target.push_str(" --no-races");
    }
    let interrupted = model.interrupted;
    let report = match args.engine {
        Engine::Explicit => explicit::check(model, args, settings)?,
        Engine::Stateless => Check::new(model, settings)?.search()?,
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
    ExitCode::from(code(report))
}

/// The same as a number.
pub fn code(report: &Report) -> u8 {
    match report.verdict {
        Verdict::Bug => 1,
        Verdict::Diverged => 3,
        Verdict::Incomplete if report.must_be_complete() => 4,
        Verdict::Verified | Verdict::Bounded | Verdict::Incomplete => 0,
    }
}

/// The settings of a check.
pub fn settings(args: &args::Check) -> Settings {
    Settings {
        search: search(args.search),
        bound: args.bound.map(Some),
        scheduler: args.scheduler.unwrap_or(args::Scheduler::Rr).name().to_owned(),
        max_executions: args.max_executions,
        memory: args.memory.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        time: args.time,
        max_steps: args.max_steps,
        resume: args.resume.clone(),
        seed: args.seed,
        pct_depth: args.pct_depth,
        workers: args.workers as usize,
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
    }
}

/// The setting of a search.
pub fn search(search: args::Search) -> Search {
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
