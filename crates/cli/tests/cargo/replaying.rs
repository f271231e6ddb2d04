//! Findings are replayed by the command that their report gives.

use crate::project::trial;

#[test]
fn a_finding_is_replayed_by_its_command() {
    let run = trial().caissa("test --test outer --max-executions 1 -- fails");
    let line = run.replay_line();
    assert!(
        line.starts_with("cargo caissa replay tests::fails cai1:") && line.ends_with(" --test outer"),
        "{run}"
    );
    let again = trial().typed(line);
    again.expect(1, &["caissa found a bug: ", "as the other one does"]);
    // One object, and nothing that the test prints.
    let object = trial().typed(&format!("{line} --json"));
    assert_eq!(object.json().text("verdict"), Some("bug"), "{object}");
    assert_eq!(trial().typed(&format!("{line} --json --no-races")).code, 1);
}
