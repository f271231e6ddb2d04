//! `cargo caissa run`.

use crate::project::{run, trial};

#[test]
fn a_program_is_explored_and_a_finding_replayed() {
    let run = |words: &[&str]| run(trial().command("run").args(words));
    let fine = run(&["--max-executions", "5"]);
    fine.expect(0, &["caissa: "]);
    let found = run(&["--bound", "1", "--", "broken one"]);
    found.expect(1, &["caissa found a bug: ", "The schedule needs 1 preemption"]);
    let line = found.replay_line();
    let (before, after) = line.split_once(" -- ").unwrap_or_else(|| panic!("{line}"));
    assert_eq!(after, "'broken one'");
    let words: Vec<&str> = before.split(' ').collect();
    assert_eq!(words[..4], ["cargo", "caissa", "run", "--replay"]);
    let again = run(&["--replay", words[4], "--", "broken one"]);
    again.expect(1, &["an update is lost", "caissa found a bug: "]);
    let object = run(&["--json", "--bound=1", "broken one"]);
    assert_eq!(object.json().number("bound"), Some(1), "{object}");
}

/// What Rust's library does before `main` is no scheduling point, and no reason to run executions in copies of the process.
#[test]
fn start_up_changes_nothing() {
    let fine = trial().caissa("run");
    fine.expect(0, &["caissa: verified"]).lacks(&["tasks yield"]);
    assert!(!fine.err.contains("--mode fork"), "{fine}");
    let executions = ["inproc", "fork"].map(|mode| {
        let words = ["--mode", mode, "--bound", "1", "--json", "broken one"];
        run(trial().command("run").args(words)).expect(1, &[]).json().number("executions")
    });
    assert_eq!(executions[0], executions[1]);
}
