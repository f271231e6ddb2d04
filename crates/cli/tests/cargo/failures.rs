//! What is shown of tests that fail.

use std::sync::OnceLock;

use crate::project::Project;

/// Tests that fail, each in a way of its own.
fn failures() -> &'static Project {
    static FAILURES: OnceLock<Project> = OnceLock::new();
    FAILURES.get_or_init(|| Project::write("failures", &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)]))
}

const MANIFEST: &str =
    "[package]\nname = \"failures\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

const LIBRARY: &str = r#"
/// As tests do that write down the input with which they have failed.
#[test]
fn leaves_a_file() {
    if !std::path::Path::new("left").exists() {
        std::fs::write("left", "").unwrap();
        panic!("only once");
    }
}

#[test]
fn counts_its_runs() {
    let runs = std::fs::read("count").map_or(0, |bytes| bytes.len());
    std::fs::write("count", vec![0; runs + 1]).unwrap();
    (0..runs).for_each(|_| drop(std::thread::spawn(|| {}).join()));
    panic!("each time");
}

#[test]
fn returns_an_error() -> Result<(), String> {
    println!("to standard output");
    Err("nope".to_owned())
}

#[test]
#[should_panic]
fn does_not_panic() {}

#[test]
fn goes_round() {
    let (stop, rounds) = (AtomicBool::new(false), AtomicU64::new(0));
    while !stop.load(SeqCst) {
        rounds.fetch_add(1, SeqCst);
    }
}

#[test]
fn prints() {
    println!("one");
    eprintln!("two");
    panic!("three");
}

#[cfg(test)]
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
"#;

#[test]
fn what_can_be_done_about_a_test_that_takes_all_the_time_is_said() {
    let run = failures().caissa("test --time 1 goes_round");
    let line = "test goes_round ... not explored (no execution came to its end in time (--time))\n";
    run.expect(
        0,
        &[line, "---- goes_round ----\nno execution", "help: a larger --time, ", "--max-steps", "--hang"],
    );
    failures().caissa("test --max-steps 1000 goes_round").expect(0, &["test goes_round ... cut off ("]);
}

#[test]
fn names_in_files_that_stand_for_no_test_are_told() {
    let files = [
        ("Cargo.toml", MANIFEST.replace("failures", "named")),
        ("src/lib.rs", "#[test]\nfn fine() {}\n".to_owned()),
        ("caissa.toml", "skip = [\"net::*\"]\n[[test]]\nname = \"fin*\"\nbound = 1\n".to_owned()),
    ];
    let project = Project::write("named", &files.each_ref().map(|(name, text)| (*name, &**text)));
    let note = "notes:\n  caissa.toml: skip, \"net::*\": there is no such test\n\nresult: ok. 1 ok; ";
    project.caissa("test").expect(0, &[note]);
    assert!(!project.caissa("test fine").out.contains("no such test"));
}

#[test]
fn what_a_failing_execution_prints_is_shown() {
    let run = failures().caissa("test -- prints returns_an_error does_not_panic");
    run.expect(
        1,
        &[
            "bug: thread T0 (harness) says that the test has failed, without a panic: Error: \"nope\", at the end of the test.\n",
            "The failing execution prints:\n  to standard output\n  Error: \"nope\"\n",
            "without a panic: note: test did not panic as expected at src/lib.rs:",
            "The failing execution prints:\n  one\n  two\n\n  thread 'prints' (",
        ],
    );
    let run = failures().caissa("test --json returns_an_error");
    let object: serde_json::Value = serde_json::from_str(run.out.lines().next().unwrap()).unwrap();
    let sentence = "thread T0 (harness) says that the test has failed, without a panic: Error: \"nope\"";
    assert_eq!((&object["message"], &object["kind"]), (&sentence.into(), &"exit".into()), "{run}");
    assert_eq!(object["output"], "to standard output\nError: \"nope\"", "{run}");
}

/// It fails each time, but not in the same way.
#[test]
fn a_test_that_fails_and_is_not_deterministic_is_shown_as_it_fails() {
    let project = failures();
    let _ = std::fs::remove_file(project.path().join("count"));
    let run = project.caissa("test counts_its_runs");
    run.expect(
        1,
        &[
            "test counts_its_runs ... FAILED (panic, not deterministic, ",
            "---- counts_its_runs ----\ncaissa found a bug: thread T1 (test) panics at src/lib.rs:16:5: each time",
            "\n  step  T1 (test) ",
            "\nIt cannot be replayed: ",
        ],
    );
}

#[test]
fn a_test_that_fails_only_once_has_failed() {
    let project = failures();
    let fresh = || drop(std::fs::remove_file(project.path().join("left")));
    fresh();
    let run = project.caissa("test leaves_a_file");
    run.expect(
        1,
        &[
            "test leaves_a_file ... FAILED (panic, not deterministic, 0 executions, ",
            "---- leaves_a_file ----\ncaissa found a bug: thread T1 (test) panics at a place that was not noted: only once",
            "It cannot be replayed: the program was run twice under the same schedule and did not do the same: ",
            "result: FAILED. 0 ok; 1 failed; 0 not explored; ",
        ],
    );
    assert!(!run.out.contains("cargo caissa replay"), "{run}");
    fresh();
    let run = project.caissa("test leaves_a_file --json");
    assert_eq!(run.code, 1, "{run}");
    let object: serde_json::Value = serde_json::from_str(run.out.lines().next().unwrap()).unwrap();
    assert_eq!((&object["result"], &object["verdict"]), (&"failed".into(), &"diverged".into()), "{run}");
    assert_eq!(object["message"], "only once");
    assert!(object["schedule"].is_null() && object["replay"].is_null(), "{run}");
    assert!(
        object["location"].is_null() && object["notes"].to_string().contains("it cannot be replayed"),
        "{run}"
    );
}
