//! Which tests are explored.

use crate::project::trial;

/// The names that are listed.
fn listed(line: &str) -> Vec<String> {
    let run = trial().caissa(line);
    assert_eq!(run.code, 0, "{run}");
    run.out.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

#[test]
fn filters_are_those_of_rusts_own_harness() {
    assert_eq!(
        listed("test --lib -- --list"),
        [
            "tests::counts_its_runs",
            "tests::empty",
            "tests::environment",
            "tests::fails",
            "tests::once",
            "tests::panics",
            "tests::races",
            "tests::refused",
            "tests::slow",
        ]
    );
    assert_eq!(listed("test fails -- --list"), ["tests::fails", "tests::fails"]);
    assert_eq!(listed("test --lib -- --list --exact tests::empty tests::none"), ["tests::empty"]);
    assert_eq!(listed("test --lib -- --list tests::e --skip env"), ["tests::empty"]);
    assert_eq!(listed("test --test outer -- --list"), ["outside", "tests::fails"]);
    assert_eq!(listed("test -- --list --ignored"), ["tests::slow"]);
}

#[test]
fn ignored_tests_are_explored_if_asked_for() {
    let run = trial().caissa("test --lib --max-executions 2 -- --ignored -q");
    run.expect(0, &["running 1 test of unittests src/lib.rs (trial)\n.\n", "result: ok. 1 ok; "]);
}
