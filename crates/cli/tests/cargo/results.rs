//! What is shown of tests, and what is made of it.

use crate::project::trial;

/// The rest of the line of a test.
#[track_caller]
fn line<'a>(out: &'a str, test: &str) -> &'a str {
    let begin = format!("test {test} ... ");
    out.lines()
        .find_map(|line| line.strip_prefix(&begin))
        .unwrap_or_else(|| panic!("no line of {test}:\n{out}"))
}

#[test]
fn each_test_has_a_line_and_what_was_found_is_shown_below() {
    let run = trial().caissa("test --max-executions 20");
    run.expect(
        1,
        &[
            "running 9 tests of unittests src/lib.rs (trial)\n",
            "running 2 tests of tests/outer.rs (trial)\n",
            "running 1 test of tests/own.rs (trial)\n",
            "\nfailures:\n\n---- tests::fails of unittests src/lib.rs (trial) ----\ncaissa found a bug: ",
            "---- tests::fails of tests/outer.rs (trial) ----\n",
            "---- tests::races ----\ncaissa found a bug: data race",
            "\nnot explored:\n\n",
            "the doctests of trial are left out\n",
            "result: FAILED. 6 ok; 3 failed; 2 not explored; 1 ignored; 0 filtered out; finished in ",
        ],
    );
    let starts = |test: &str, expected: &str| {
        let line = line(&run.out, test);
        assert!(line.starts_with(expected), "{test}: {line}\n{run}");
    };
    for test in ["tests::empty", "tests::panics", "tests::environment", "tests::once", "outside", "own"] {
        starts(test, "ok (");
    }
    starts("tests::races", "FAILED (data race, 0 preemptions, ");
    starts("tests::slow", "ignored");
    starts("tests::refused", "not explored (thread ");
    starts("tests::counts_its_runs", "not explored (not deterministic: ");
    // Executables come one after the other, whatever ends first.
    let at = |part: &str| run.out.find(part).unwrap();
    assert!(at("test tests::empty") < at("of tests/outer.rs") && at("test outside") < at("of tests/own.rs"));
}

#[test]
fn a_test_of_which_no_execution_came_to_its_end_is_cut_off() {
    let run = trial().caissa("test --search depth --bound 1 --lib -- --exact tests::once");
    run.expect(
        0,
        &[
            "tests::once ... cut off (bounded: none came to its end within 1 point, 0 executions, ",
            "; 1 cut off; ",
        ],
    );
    trial().caissa("test --search depth --bound 1 --complete --lib -- --exact tests::once").expect(4, &[]);
}

#[test]
fn one_object_for_each_test_and_one_for_all() {
    let run = trial()
        .caissa("test --json --max-executions 5 --test-workers 2 -- tests::e tests::fails tests::refused");
    assert_eq!(run.code, 1, "{run}");
    let objects: Vec<serde_json::Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
        .collect();
    let names: Vec<&str> = objects.iter().filter_map(|object| object["test"].as_str()).collect();
    // In the order of their names, whatever ends first.
    assert_eq!(
        names,
        ["tests::empty", "tests::environment", "tests::fails", "tests::refused", "tests::fails"]
    );
    assert_eq!(objects[0]["result"], "ok");
    assert_eq!(objects[0]["package"], "trial");
    assert_eq!(objects[0]["target"], "--lib");
    assert!(objects[0]["executions"].as_u64().is_some_and(|executions| (1..=5).contains(&executions)));
    assert_eq!(objects[2]["result"], "failed");
    assert_eq!(objects[2]["verdict"], "bug");
    let schedule = objects[2]["schedule"].as_str().unwrap();
    assert_eq!(objects[2]["replay"], format!("cargo caissa replay tests::fails {schedule} --lib"));
    assert_eq!(objects[3]["result"], "not explored");
    assert!(
        objects[3]["reason"].as_str().is_some_and(|reason| reason.contains("watches files")),
        "{}",
        objects[3]
    );
    let summary = objects.last().unwrap();
    assert_eq!(
        (&summary["summary"], &summary["ok"], &summary["failed"]),
        (&"failed".into(), &2.into(), &2.into())
    );
    assert_eq!((&summary["not_explored"], &summary["filtered_out"]), (&1.into(), &7.into()));
}

#[test]
fn exit_codes_tell_what_came_of_it() {
    let code = |line: &str| trial().caissa(line).code;
    assert_eq!(code("test --lib --max-executions 2 -- tests::empty"), 0);
    // It could not be explored, which is no failure unless all has to be.
    assert_eq!(code("test --lib -- tests::refused"), 0);
    assert_eq!(code("test --lib --complete -- tests::refused"), 4);
    assert_eq!(code("test --lib -- tests::counts_its_runs"), 3);
    assert_eq!(code("test --lib --max-executions 1 -- --exact tests::fails"), 1);
    assert_eq!(code("test --lib -- no_such_test"), 0);
}

#[test]
fn tests_whose_turn_does_not_come_are_named() {
    let run = trial()
        .caissa("test --lib --total-time 0.01 --complete --test-workers 1 -- tests::empty tests::once");
    run.expect(4, &["test tests::once ... not run (--total-time was used up)\n", " not run; "]);
}

#[test]
fn traces_go_into_a_directory() {
    let traces = trial().path().join("traces");
    let _ = std::fs::remove_dir_all(&traces);
    let run = trial().caissa("test --lib --trace traces --max-executions 1 -- --exact tests::fails");
    run.expect(1, &["The trace is in traces/trial-trial-tests-fails.trace."]);
    assert!(traces.join("trial-trial-tests-fails.trace").is_file());
}

#[test]
fn without_an_instrumented_library_races_fail_nothing() {
    let run = trial().caissa("test --lib --plain-std --max-executions 20 -- tests::races");
    run.expect(
        0,
        &[
            "warning: the standard library is not under control: --plain-std was given\n",
            "a possible race, ",
            "possible races, for the standard library is not instrumented:\n\n---- tests::races ----\ndata race on ",
            "To look at it: cargo caissa replay tests::races cai1:",
        ],
    );
}
