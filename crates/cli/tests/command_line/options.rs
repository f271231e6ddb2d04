//! The options of `caissa check`, one by one. Budgets, `--resume`, `--workers` and what does not go together have files of their own.

use std::fs;

use crate::models::{CHOICES, COUNTER, POLITE, RACE, WORK};
use crate::run::{Scratch, caissa, check};

#[test]
fn a_bound_is_explored_and_no_further() {
    let run = check(COUNTER, &["--search", "preemptions", "--bound", "0"]);
    run.expect(0, &["bounded: no bug with at most 0 preemptions; if there is one it needs at least 1"]);
    let run = check(COUNTER, &["--engine", "explicit", "--search", "preemptions", "--bound", "0"]);
    run.expect(0, &["no failure and no deadlock with at most 0 preemptions", "0 preemptions: 6 new states"]);
    check(WORK, &["--search", "depth", "--bound", "3"]).expect(0, &["3 points", "Raise it."]);
    check(WORK, &["--search", "contexts", "--bound", "2"]).expect(0, &["at most 2 context switches"]);
}

#[test]
fn a_delaying_scheduler_can_be_chosen() {
    for scheduler in ["rr", "depth-first", "depth-first-plain"] {
        let options = ["--search", "delays", "--scheduler", scheduler, "--json"];
        let json = check(COUNTER, &options).expect(1, &[]).json();
        assert_eq!(json.number("bound"), Some(1), "{scheduler}");
    }
    let run = check(COUNTER, &["--engine", "explicit", "--search", "delays", "--scheduler", "depth-first"]);
    run.expect(1, &["The schedule needs 1 delay (1 preemption); every schedule with fewer was explored"]);
}

#[test]
fn rounds_bound_the_executions() {
    let explicit = |options: &[&str]| check(COUNTER, &[&["--engine", "explicit"], options].concat());
    let one = explicit(&["--rounds", "1"]);
    one.expect(0, &["bounded: every schedule with 1 round of buffers and 1 of tasks", "neither deadlocks"]);
    explicit(&["--rounds", "1", "--yields", "2"]).expect(1, &["an increment is lost"]);
    explicit(&["--yields", "2"]).expect(1, &["an increment is lost"]);
    explicit(&["--yields", "2", "--no-reorder"]).expect(1, &["an increment is lost"]);
    let json = explicit(&["--rounds", "2", "--json"]).expect(0, &[]).json();
    assert_eq!((json.verdict(), json.number("bound")), ("bounded", None));
}

#[test]
fn the_shortest_way_to_a_bug_is_shown_as_it_is() {
    let steps = |options: &[&str]| {
        let scratch = Scratch::new();
        let (model, trace) = (scratch.write("m.cai", COUNTER), scratch.file("t"));
        let run = caissa(&[&["check", &model, "--engine", "explicit", "--trace", &trace], options].concat());
        run.expect(1, &["an increment is lost"]);
        let text = fs::read_to_string(trace).expect("the trace is there");
        text.lines().filter(|line| line.starts_with("event\t") && !line.starts_with("event\t-")).count()
    };
    assert_eq!(steps(&["--shortest"]), 4);
    assert!(steps(&["--search", "dfs"]) >= 4);
}

#[test]
fn fingerprints_find_the_same_and_say_what_they_risk() {
    let run = check(WORK, &["--engine", "explicit", "--compact"]);
    run.expect(0, &["verified", "fingerprints were kept instead of states: the odds", "were not looked for"]);
    let states = |options: &[&str]| {
        let run = check(WORK, &[&["--engine", "explicit", "--json"], options].concat());
        run.expect(0, &[]).json().number("states")
    };
    assert_eq!(states(&["--compact"]), states(&[]));
    check(COUNTER, &["--engine", "explicit", "--compact"]).expect(1, &["an increment is lost"]);
}

#[test]
fn constants_are_set() {
    let states = |sets: &[&str]| {
        let run = check(WORK, &[&["--engine", "explicit", "--json"], sets].concat());
        run.expect(0, &[]).json().number("states").expect("states are counted")
    };
    let one = states(&["--set", "TASKS=1", "--set", "STEPS=1"]);
    assert_eq!(one, states(&["--set", " STEPS = 1", "--set", "TASKS=1"]));
    assert!(one < states(&[]), "three tasks have more states than one");
    // The last one counts.
    assert_eq!(one, states(&["--set", "TASKS=2", "--set", "STEPS=1", "--set", "TASKS=1"]));
}

#[test]
fn a_seed_fixes_what_is_sampled() {
    let executions = |options: &[&str]| {
        let run = check(CHOICES, &[&["--json"], options].concat());
        run.expect(1, &[]).json().number("executions")
    };
    let seeds = ["0", "1", "2", "3", "4", "5", "6", "7"];
    for search in ["random", "pct", "pos", "surw"] {
        let all = seeds.map(|seed| executions(&["--search", search, "--seed", seed]));
        assert_eq!(all, seeds.map(|seed| executions(&["--search", search, "--seed", seed])), "{search}");
        assert!(all.iter().any(|&count| count != all[0]), "{search}: the seed changes nothing: {all:?}");
    }
    let depths = ["1", "2", "6"].map(|depth| executions(&["--search", "pct", "--pct-depth", depth]));
    assert!(depths.iter().any(|&count| count != depths[0]), "{depths:?}");
}

#[test]
fn fairness_can_be_changed_and_left_out() {
    let executions = |options: &[&str]| {
        let run = check(POLITE, &[&["--search", "preemptions", "--json"], options].concat());
        run.expect(0, &[]).json().number("executions").expect("executions are counted")
    };
    assert!(executions(&[]) < executions(&["--fair-k", "2"]), "fewer schedules are ruled out");
    let unfair =
        check(POLITE, &["--search", "preemptions", "--bound", "1", "--no-fair", "--max-steps", "300"]);
    unfair.expect(0, &["incomplete: 4 executions were cut off after `--max-steps` = 300 steps"]);
    let explicit = check(POLITE, &["--engine", "explicit", "--no-fair"]);
    explicit.expect(0, &["verified", "executions without end were not looked for (--no-fair)"]);
}

#[test]
fn races_are_looked_for_unless_they_are_not() {
    check(RACE, &[]).expect(1, &["data race on data: task T1 (work()) writes it", "nothing orders the two"]);
    check(RACE, &["--no-races"]).expect(1, &["an increment is lost"]);
    let explicit = check(RACE, &["--engine", "explicit"]);
    explicit.expect(
        1,
        &["an increment is lost", "data races on plain globals are not looked for by this engine"],
    );
}

#[test]
fn a_search_can_go_on_after_a_bug() {
    let first = check(COUNTER, &["--search", "preemptions", "--json"]).expect(1, &[]).json();
    let run = check(COUNTER, &["--search", "preemptions", "--keep-going", "--json"]);
    let all = run.expect(1, &[]).json();
    // Two tasks of two steps each: 6 orders.
    assert_eq!(all.number("executions"), Some(6));
    assert!(first.number("executions") < all.number("executions"));
    check(COUNTER, &["--keep-going"]).expect(1, &["4 executions failed; the first one is shown."]);
}

#[test]
fn an_incomplete_search_fails_if_it_must_be_complete() {
    let options = ["--search", "random", "--max-executions", "3"];
    check(WORK, &options).expect(0, &["incomplete: 3 executions were sampled by random with seed 0"]);
    check(WORK, &[&options[..], &["--complete"]].concat()).expect(4, &["incomplete"]);
    check(WORK, &["--engine", "explicit", "--complete"]).expect(0, &["verified"]);
    check(COUNTER, &["--complete"]).expect(1, &["bug"]);
}

#[test]
fn every_step_is_shown_if_that_is_wanted() {
    let long = "var x: int; proc main() { for i in 1..30 { x := i; } assert x == 0; }";
    let short = check(long, &[]);
    short.expect(1, &["more steps of T0 ...", "--full shows every step"]);
    let full = check(long, &["--full"]);
    assert!(!full.expect(1, &["x := i  [x: 14 -> 15]"]).out.contains("more steps"), "{full}");
}

#[test]
fn long_searches_say_how_far_they_are_unless_they_are_to_be_quiet() {
    let long = ["--search", "dfs", "--set", "TASKS=6", "--time", "2.5", "--max-executions", "100000000"];
    let run = check(WORK, &long);
    run.expect(0, &["incomplete"]);
    assert!(run.err.starts_with("caissa: ") && run.err.contains(" a second"), "{run}");
    let quiet = check(WORK, &["--search", "dfs", "--set", "TASKS=6", "--time", "2.5", "--quiet"]);
    assert_eq!(quiet.expect(0, &["incomplete"]).err, "", "{quiet}");
}

#[test]
fn the_trace_is_written_to_a_file() {
    for engine in ["stateless", "explicit"] {
        let scratch = Scratch::new();
        let (model, trace) = (scratch.write("m.cai", COUNTER), scratch.file("finding.trace"));
        let run = caissa(&["check", &model, "--engine", engine, "--trace", &trace]);
        run.expect(1, &[&format!("The trace is in {trace}.")]);
        let text = fs::read_to_string(&trace).expect("the trace is there");
        assert!(text.starts_with("caissa-trace 1\nschedule\tcai1:m"), "{text}");
        assert!(text.contains("task\t1\tincrement()\n") && text.contains("counter := seen + 1"), "{text}");
        // Nothing was found, and nothing is written.
        let none = scratch.file("none.trace");
        caissa(&["check", &model, "--engine", engine, "--trace", &none, "--set", "TASKS=1"]).expect(0, &[]);
        assert!(!fs::exists(none).expect("one can look"), "{engine}");
    }
}
