//! Budgets and interrupts: the search ends in good order, says `incomplete` and how far it came.

use crate::models::WORK;
use crate::resume::interrupted;
use crate::run::{Run, Scratch, caissa, check};

/// More states and executions than any test waits for.
const ENDLESS: [&str; 4] = ["--set", "TASKS=9", "--set", "STEPS=9"];

fn with(options: &[&str]) -> Run {
    check(WORK, &[&ENDLESS, options].concat())
}

/// It ended before its end, but not before its beginning.
#[track_caller]
fn has_begun(run: &Run, counted: &str) {
    let json = run.expect(0, &[]).json();
    assert_eq!(json.verdict(), "incomplete", "{run}");
    assert!(json.number(counted).is_some_and(|count| count > 0), "{run}");
    for nothing in ["kind", "schedule", "location", "message"] {
        assert_eq!(json.text(nothing), None, "{run}");
    }
    assert_eq!(json.number("bound"), None, "{run}");
}

#[test]
fn a_budget_of_time_ends_a_search() {
    let runs: [(&[&str], &str); 6] = [
        (&[], "executions"),
        (&["--workers", "2"], "executions"),
        (&["--engine", "explicit"], "states"),
        (&["--engine", "explicit", "--workers", "2"], "states"),
        (&["--engine", "explicit", "--search", "dfs"], "states"),
        (&["--engine", "explicit", "--yields", "3"], "states"),
    ];
    for (options, counted) in runs {
        // A busy machine may need more time to begin.
        let mut times = ["0.2", "1", "5", "25"].iter();
        let run = times.find_map(|time| {
            let run = with(&[&["--time", time, "--json"], options].concat());
            run.json().number(counted).filter(|&count| count > 0).map(|_| run)
        });
        has_begun(&run.expect("it begins in 25 seconds"), counted);
    }
    let text = with(&["--time", "0.1", "--engine", "explicit"]);
    text.expect(
        0,
        &["no bug was found so far, but the budget `--time` was used up.", "new states (not all)"],
    );
    let text = with(&["--time", "0.1", "--search", "preemptions"]);
    text.expect(0, &["incomplete: no bound was explored completely, but the budget `--time` was used up."]);
}

#[test]
fn a_budget_of_memory_ends_a_search() {
    has_begun(&with(&["--memory", "2", "--json"]), "executions");
    has_begun(&with(&["--memory", "8", "--engine", "explicit", "--json"]), "states");
    has_begun(&with(&["--memory", "8", "--engine", "explicit", "--workers", "2", "--json"]), "states");
    has_begun(&with(&["--memory", "1", "--engine", "explicit", "--yields", "3", "--json"]), "states");
    has_begun(&with(&["--memory", "8", "--engine", "explicit", "--compact", "--json"]), "states");
    with(&["--memory", "8", "--engine", "explicit"]).expect(0, &["but the budget `--memory` was used up."]);
    with(&["--memory", "2"]).expect(0, &["but the budget `--memory` was used up."]);
}

/// One choice can have more values than there is time, or memory, to try.
#[test]
fn a_budget_ends_a_choice_of_many_values() {
    let many = "var x: int; proc main() { x := choose(0x80000000, 0x7fffffff); post later(); } proc later() { x := 0; }";
    let explicit: [&[&str]; 4] = [&[], &["--workers", "2"], &["--search", "dfs"], &["--yields", "2"]];
    for options in explicit {
        let with = |budget: [&str; 2]| {
            check(many, &[&["--engine", "explicit", "--json"], options, budget.as_slice()].concat())
        };
        has_begun(&with(["--memory", "8"]), "states");
        has_begun(&with(["--max-executions", "5000"]), "states");
    }
    // One that goes wrong early is told, and no other is tried.
    let wrong = "var x: int; proc main() { x := choose(0x80000000, 0x7fffffff); assert x != 0x80000005; }";
    for options in explicit {
        let run = check(wrong, &[&["--engine", "explicit"], options].concat());
        run.expect(1, &["assertion failed: x != 0x80000005", "To replay exactly this"]);
    }
}

#[test]
fn a_budget_of_executions_or_states_ends_a_search() {
    let json = with(&["--max-executions", "70", "--json"]).expect(0, &[]).json();
    assert_eq!((json.verdict(), json.number("executions")), ("incomplete", Some(70)));
    let run = with(&["--max-executions", "70", "--engine", "explicit", "--json"]);
    has_begun(&run, "states");
    assert!(run.json().number("states").is_some_and(|states| states < 10_000), "{run}");
    let run = with(&["--max-executions", "70", "--complete"]);
    run.expect(4, &["incomplete", "but the budget `--max-executions` was used up."]);
    with(&["--max-executions", "70", "--complete", "--engine", "explicit"]).expect(4, &["incomplete"]);
}

#[test]
fn an_interrupt_ends_a_search() {
    let scratch = Scratch::new();
    let model = scratch.write("work.cai", WORK);
    let runs: [&[&str]; 4] = [
        &[],
        &["--workers", "2"],
        &["--engine", "explicit"],
        &["--engine", "explicit", "--workers", "2", "--search", "preemptions"],
    ];
    for options in runs {
        let args = [&["check", &model], &ENDLESS[..], options].concat();
        let run = interrupted(&args, || panic!("it has no end"));
        run.expect(130, &["caissa: incomplete: ", "but it was interrupted.", "Explored "]);
    }
}

#[test]
fn a_search_that_is_done_in_time_is_not_incomplete() {
    let scratch = Scratch::new();
    let model = scratch.write("work.cai", WORK);
    for engine in ["stateless", "explicit"] {
        let args = ["check", &model, "--engine", engine, "--time", "500", "--memory", "500"];
        let run = caissa(&[&args[..], &["--max-executions", "500000", "--complete"]].concat());
        run.expect(0, &[if engine == "explicit" { "verified" } else { "bounded" }]);
    }
}
