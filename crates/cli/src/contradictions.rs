//! Options that do not go together are refused: one that would be ignored without a word lets its user believe in something that
//! was not done. Options that only say how much to use, or what random choices begin with, may be of no use.

use std::ffi::OsString;

use caissa_model::Model;

use crate::Mistake;
use crate::args::{Check, Engine, Native, Scheduler, Search};

/// Refuses what an engine or a search would ignore.
pub fn refuse(args: &Check) -> Result<(), Mistake> {
    match args.engine {
        Engine::Stateless => stateless(args)?,
        Engine::Explicit => explicit(args)?,
    }
    if args.scheduler.is_some() && args.search != Search::Delays {
        return refused("--scheduler is that of --search delays", "add --search delays, or leave it out");
    }
    if args.no_reorder && args.rounds.is_none() && args.yields.is_none() {
        return refused("--no-reorder is about rounds", "add --rounds or --yields, or leave it out");
    }
    Ok(())
}

/// Refuses what means something to native programs only, where a model is checked.
pub fn refuse_native(args: &Check) -> Result<(), Mistake> {
    let of_checks = [
        ("--points", args.points.is_some()),
        ("--faults", args.faults.is_some()),
        ("--no-preempt", !args.no_preempt.is_empty()),
        ("--preempt-only", !args.preempt_only.is_empty()),
    ];
    refuse_first(&of_checks)?;
    refuse_native_run(&args.native, &args.arguments)
}

/// The same of what says how a program is built and run.
pub fn refuse_native_run(native: &Native, arguments: &[OsString]) -> Result<(), Mistake> {
    refuse_first(&[
        ("--mode", native.mode.is_some()),
        ("--cflags", native.cflags.is_some()),
        ("--cc", native.cc.is_some()),
        ("--hang", native.hang.is_some()),
        ("--heap", native.heap.is_some()),
        ("--exit-code", native.exit_code),
        ("--output", native.output),
        ("what comes after --", !arguments.is_empty()),
    ])
}

fn refuse_first(options: &[(&str, bool)]) -> Result<(), Mistake> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            refused(&format!("{option} is for native programs"), "leave it out: this is a model")
        }
        None => Ok(()),
    }
}

/// Refuses delays where a delaying scheduler has no meaning.
pub fn refuse_delays(args: &Check, model: &Model) -> Result<(), Mistake> {
    let program = model.code.program();
    let (buffers, levels) = (program.buffers.len(), program.levels.len());
    if args.search != Search::Delays || buffers == 1 && levels == 1 && !program.levels[0].serial {
        return Ok(());
    }
    let has = match (buffers, levels) {
        (1, 1) => "this model's level is serial".to_owned(),
        _ => format!("this model has {} and {}", counted(buffers, "buffer"), counted(levels, "level")),
    };
    refused(
        &format!("delaying schedulers apply to one buffer and one level that is not serial; {has}"),
        "use --search preemptions",
    )
}

fn stateless(args: &Check) -> Result<(), Mistake> {
    let of_states = [
        ("--rounds", args.rounds.is_some()),
        ("--yields", args.yields.is_some()),
        ("--shortest", args.shortest),
        ("--compact", args.compact),
    ];
    if let Some((option, _)) = of_states.iter().find(|(_, given)| *given) {
        return refused(&format!("{option} needs states"), "add --engine explicit");
    }
    match args.search {
        Search::Bfs => refused("--search bfs needs states", "add --engine explicit, or use --search dfs"),
        Search::Dfs | Search::Random | Search::Pct | Search::Pos | Search::Surw if args.bound.is_some() => {
            refused(
                &format!("--search {} has no bound", args.search.word()),
                "leave --bound out, or use --search preemptions, delays, contexts or depth",
            )
        }
        _ => Ok(()),
    }
}

fn explicit(args: &Check) -> Result<(), Mistake> {
    if args.resume.is_some() {
        return refused(
            "--resume: explored states are not saved",
            "use --engine stateless, or a larger --time or --memory",
        );
    }
    if args.fair_k.is_some() {
        return refused(
            "--fair-k is about schedulers; with --engine explicit every fair execution is looked at",
            "leave it out, or use --engine stateless",
        );
    }
    if args.keep_going {
        return refused(
            "--keep-going counts executions; --engine explicit ends at the first bug",
            "leave it out, or use --engine stateless",
        );
    }
    match args.search {
        Search::Contexts | Search::Depth | Search::Random | Search::Pct | Search::Pos | Search::Surw => {
            return refused(
                &format!("--search {} is about executions", args.search.word()),
                "with --engine explicit use auto, bfs, dfs, preemptions or delays",
            );
        }
        Search::Delays if args.scheduler == Some(Scheduler::DepthFirstPlain) => {
            return refused(
                "the explicit engine has no plain depth-first scheduler",
                "use --scheduler depth-first",
            );
        }
        _ => {}
    }
    if matches!(args.search, Search::Auto | Search::Bfs) {
        let rounds = args.rounds.is_some() || args.yields.is_some();
        return match args.bound {
            Some(_) if rounds => {
                refused("--rounds and --yields are bounds of their own", "leave --bound out")
            }
            Some(_) => refused(
                "--bound: with --engine explicit every state is explored",
                "leave it out, or add --search preemptions or --search delays",
            ),
            None if rounds && args.compact => {
                refused("--rounds and --yields keep their states as they are", "leave --compact out")
            }
            None => Ok(()),
        };
    }
    let of_breadth_first = [
        ("--shortest", args.shortest),
        ("--compact", args.compact),
        ("--rounds", args.rounds.is_some()),
        ("--yields", args.yields.is_some()),
    ];
    if let Some((option, _)) = of_breadth_first.iter().find(|(_, given)| *given) {
        return refused(
            &format!("{option} does not go with --search {}", args.search.word()),
            "leave --search out",
        );
    }
    if args.search == Search::Dfs && args.bound.is_some() {
        return refused(
            "--search dfs has no bound",
            "leave --bound out, or use --search preemptions or delays",
        );
    }
    Ok(())
}

fn refused(what: &str, help: &str) -> Result<(), Mistake> {
    Err(Mistake(format!("error: {what}\nhelp: {help}\n")))
}

fn counted(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
