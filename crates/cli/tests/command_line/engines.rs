//! Both engines, through the command line.

use crate::json::Json;
use crate::models::{COUNTER, COUNTER_REPAIRED, DEVICE, POLITE, POLITE_REPAIRED};
use crate::run::{caissa, check, corpus};

const ENGINES: [&str; 2] = ["stateless", "explicit"];

#[test]
fn both_engines_find_the_bug_of_the_driver_with_one_preemption() {
    for engine in ENGINES {
        let driver = corpus("fail/bluetooth");
        let run = caissa(&["check", &driver, "--search", "preemptions", "--json", "--engine", engine]);
        run.expect(1, &[]);
        let json = run.json();
        assert_eq!(json.verdict(), "bug", "{run}");
        assert_eq!(json.number("bound"), Some(1), "{run}");
        assert_eq!(json.text("kind"), Some("assertion"));
        assert_eq!(json.text("message"), Some("the driver was used after it had stopped"));
        let location = json.text("location").expect("an assertion stands somewhere");
        assert!(location.ends_with("bluetooth.cai:46:5"), "{location}");
        assert!(json.text("schedule").is_some_and(|schedule| schedule.starts_with("cai1:m")), "{run}");
        assert!(json.seconds() > 0.0);
        // Each counts what it explores.
        assert_eq!(json.number("executions").is_some(), engine == "stateless");
        assert_eq!(json.number("classes").is_some(), engine == "stateless");
        assert_eq!(json.number("states").is_some(), engine == "explicit");
    }
}

#[test]
fn both_engines_pass_the_repaired_driver() {
    for engine in ENGINES {
        let driver = corpus("pass/bluetooth");
        let run = caissa(&["check", &driver, "--search", "preemptions", "--json", "--engine", engine]);
        run.expect(0, &[]);
        let json = run.json();
        // All states cost so many preemptions at most; executions are explored up to the bound.
        let expected = if engine == "explicit" { ("verified", None) } else { ("bounded", Some(2)) };
        assert_eq!((json.verdict(), json.number("bound")), expected, "{run}");
        for nothing in ["kind", "schedule", "location", "message"] {
            assert_eq!(json.text(nothing), None, "{run}");
        }
    }
}

/// Verdict, kind and bound.
fn found(json: &Json) -> (&str, Option<&str>, Option<u64>) {
    (json.verdict(), json.text("kind"), json.number("bound"))
}

#[test]
fn every_search_finds_a_lost_increment() {
    let stateless = [
        ("auto", Some(1)),
        ("preemptions", Some(1)),
        ("delays", Some(1)),
        ("contexts", Some(3)),
        ("depth", Some(4)),
        ("dfs", None),
        ("random", None),
        ("pct", None),
        ("pos", None),
        ("surw", None),
    ];
    for (search, bound) in stateless {
        let json = check(COUNTER, &["--search", search, "--json"]).expect(1, &[]).json();
        // Without bounds it is what the schedule shown has.
        let bound = bound.or(json.number("bound"));
        assert_eq!(found(&json), ("bug", Some("final"), bound), "{search}");
    }
    let explicit =
        [("auto", None), ("bfs", None), ("dfs", None), ("preemptions", Some(1)), ("delays", Some(1))];
    for (search, bound) in explicit {
        let options = ["--engine", "explicit", "--search", search, "--json"];
        let json = check(COUNTER, &options).expect(1, &[]).json();
        let bound = bound.or(json.number("bound"));
        assert_eq!(found(&json), ("bug", Some("final"), bound), "{search}");
    }
}

#[test]
fn every_search_passes_the_repaired_counter() {
    let stateless = [
        ("auto", "verified"),
        ("preemptions", "verified"),
        ("delays", "verified"),
        ("contexts", "verified"),
        ("depth", "verified"),
        ("dfs", "verified"),
        ("random", "incomplete"),
        ("pct", "incomplete"),
        ("pos", "incomplete"),
        ("surw", "incomplete"),
    ];
    for (search, verdict) in stateless {
        let run = check(COUNTER_REPAIRED, &["--search", search, "--max-executions", "200", "--json"]);
        assert_eq!(run.expect(0, &[]).json().verdict(), verdict, "{search}");
    }
    for search in ["auto", "bfs", "dfs", "preemptions", "delays"] {
        let run = check(COUNTER_REPAIRED, &["--engine", "explicit", "--search", search, "--json"]);
        assert_eq!(run.expect(0, &[]).json().verdict(), "verified", "{search}");
    }
}

#[test]
fn both_engines_find_the_livelock() {
    let stateless = check(POLITE, &["--bound", "3", "--json"]).expect(1, &[]).json();
    assert_eq!(found(&stateless), ("bug", Some("livelock"), Some(3)));
    let explicit = check(POLITE, &["--engine", "explicit", "--json"]).expect(1, &[]).json();
    assert_eq!((explicit.verdict(), explicit.text("kind")), ("bug", Some("livelock")));
    for options in [&["--bound", "3", "--json"][..], &["--engine", "explicit", "--json"]] {
        let repaired = check(POLITE_REPAIRED, options).expect(0, &[]).json();
        assert_ne!(repaired.verdict(), "bug");
    }
}

#[test]
fn both_engines_find_the_lost_interrupt() {
    for engine in ENGINES {
        let json = check(DEVICE, &["--engine", engine, "--json"]).expect(1, &[]).json();
        assert_eq!((json.verdict(), json.text("kind")), ("bug", Some("deadlock")), "{engine}");
        let one = check(DEVICE, &["--engine", engine, "--set", "ITEMS=1", "--json"]).expect(0, &[]).json();
        assert_eq!(one.verdict(), "verified", "{engine}");
    }
}
