//! Options that contradict each other, or that would be ignored: refused, with what to do instead.

use crate::models::{COUNTER, DEVICE};
use crate::run::check;

#[track_caller]
fn refused(options: &[&str], what: &str, help: &str) {
    check(COUNTER, options).expect_mistake(&[&format!("error: {what}"), &format!("help: {help}")]);
}

#[test]
fn what_is_for_native_programs_is_refused_for_models() {
    let help = "leave it out: this is a model";
    for options in [
        &["--mode", "fork"][..],
        &["--cflags", "-O2"],
        &["--cc", "gcc"],
        &["--hang", "1"],
        &["--heap", "64"],
        &["--exit-code"],
        &["--output"],
        &["--points", "all"],
        &["--faults", "1"],
        &["--no-preempt", "f"],
        &["--preempt-only", "f"],
    ] {
        refused(options, &format!("{} is for native programs", options[0]), help);
    }
    refused(&["--", "argument"], "what comes after -- is for native programs", help);
}

#[test]
fn what_needs_states_is_refused_by_the_stateless_engine() {
    let help = "add --engine explicit";
    refused(&["--rounds", "2"], "--rounds needs states", help);
    refused(&["--yields", "2"], "--yields needs states", help);
    refused(&["--shortest"], "--shortest needs states", help);
    refused(&["--compact"], "--compact needs states", help);
    refused(&["--search", "bfs"], "--search bfs needs states", help);
}

#[test]
fn what_is_about_executions_is_refused_by_the_explicit_engine() {
    let with = |options: &[&'static str]| [&["--engine", "explicit"], options].concat();
    for search in ["contexts", "depth", "random", "pct", "pos", "surw"] {
        refused(
            &with(&["--search", search]),
            &format!("--search {search} is about executions"),
            "with --engine explicit use auto, bfs, dfs, preemptions or delays",
        );
    }
    refused(
        &with(&["--resume", "file"]),
        "--resume: explored states are not saved",
        "use --engine stateless",
    );
    refused(&with(&["--fair-k", "2"]), "--fair-k is about schedulers", "leave it out");
    refused(&with(&["--keep-going"]), "--keep-going counts executions", "leave it out");
    refused(
        &with(&["--search", "delays", "--scheduler", "depth-first-plain"]),
        "the explicit engine has no plain depth-first scheduler",
        "use --scheduler depth-first",
    );
}

#[test]
fn a_bound_is_refused_where_there_are_none() {
    for search in ["dfs", "random", "pct", "pos", "surw"] {
        let what = format!("--search {search} has no bound");
        refused(&["--search", search, "--bound", "2"], &what, "leave --bound out");
    }
    let explicit = "--bound: with --engine explicit every state is explored";
    let help = "leave it out, or add --search preemptions or --search delays";
    refused(&["--engine", "explicit", "--bound", "1"], explicit, help);
    refused(&["--engine", "explicit", "--bound", "1", "--search", "bfs"], explicit, help);
    let dfs = ["--engine", "explicit", "--search", "dfs", "--bound", "1"];
    refused(&dfs, "--search dfs has no bound", "leave --bound out");
    let rounds = ["--engine", "explicit", "--rounds", "1", "--bound", "1"];
    refused(&rounds, "--rounds and --yields are bounds of their own", "leave --bound out");
}

#[test]
fn what_belongs_to_one_search_is_refused_by_others() {
    refused(&["--scheduler", "rr"], "--scheduler is that of --search delays", "add --search delays");
    let explicit = ["--engine", "explicit", "--scheduler", "depth-first"];
    refused(&explicit, "--scheduler is that of --search delays", "add --search delays");
    refused(&["--engine", "explicit", "--no-reorder"], "--no-reorder is about rounds", "add --rounds");
    for search in ["dfs", "preemptions", "delays"] {
        for option in [&["--shortest"][..], &["--compact"], &["--rounds", "1"], &["--yields", "1"]] {
            let options = [&["--engine", "explicit", "--search", search], option].concat();
            let what = format!("{} does not go with --search {search}", option[0]);
            refused(&options, &what, "leave --search out");
        }
    }
    let compact = ["--engine", "explicit", "--rounds", "1", "--compact"];
    refused(&compact, "--rounds and --yields keep their states", "leave --compact out");
}

#[test]
fn fairness_is_on_or_off() {
    check(COUNTER, &["--no-fair", "--fair-k", "2"]).expect_mistake(&[
        "'--fair-k <K>'",
        "cannot be used with",
        "'--no-fair'",
    ]);
    let plain = ["--search", "delays", "--scheduler", "depth-first-plain", "--fair-k", "2"];
    check(COUNTER, &plain)
        .expect_mistake(&["error: --fair is on, but must be off", "`depth-first` passes over"]);
}

#[test]
fn delays_need_one_buffer_and_one_level() {
    let one = "delaying schedulers apply to one buffer and one level that is not serial";
    for engine in ["stateless", "explicit"] {
        let run = check(DEVICE, &["--search", "delays", "--engine", engine]);
        run.expect_mistake(&[one, "this model has 2 buffers and 2 levels", "help: use --search preemptions"]);
        let levels = "levels low < high; proc main() { }";
        let run = check(levels, &["--search", "delays", "--engine", engine]);
        run.expect_mistake(&[one, "this model has 1 buffer and 2 levels"]);
        let serial = "levels serial only; proc main() { }";
        let run = check(serial, &["--search", "delays", "--engine", engine]);
        run.expect_mistake(&[one, "this model's level is serial"]);
    }
}

#[test]
fn what_only_costs_time_is_noted() {
    let run = check(COUNTER, &["--engine", "explicit", "--search", "dfs", "--workers", "2"]);
    run.expect(1, &["this was explored by one worker"]);
    let run = check(COUNTER, &["--engine", "explicit", "--rounds", "1", "--workers", "2"]);
    run.expect(0, &["this was explored by one worker"]);
}
