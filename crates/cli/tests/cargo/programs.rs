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
