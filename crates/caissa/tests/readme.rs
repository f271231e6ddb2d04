//! The README's report is what the example prints, and its schedule replays.

#[path = "../examples/bluetooth.rs"]
#[allow(dead_code)]
mod bluetooth;

use caissa::{Builder, Verdict};

const README: &str = include_str!("../../../README.md");

#[test]
fn the_readme_shows_what_the_example_prints() {
    let report = Builder::new().explore(bluetooth::scenario).unwrap();
    assert_eq!(report.verdict, Verdict::Bug);
    let schedule = report.finding.as_ref().unwrap().schedule();
    let line = README.lines().find(|line| line.starts_with("To replay exactly this: CAISSA_REPLAY")).unwrap();
    assert!(
        line.contains(&format!("CAISSA_REPLAY={schedule} ")),
        "the README has\n{line}\nbut it is {schedule}"
    );
    // The first report is a model's.
    let block = README.split("```text\n").nth(2).and_then(|rest| rest.split("```").next()).unwrap();
    let text = report.to_string();
    // Both texts name the file; a test includes it by another path than the example's.
    let plain = |text: &str| text.replace("tests/../examples", "examples");
    for line in block.lines().filter(|line| !line.starts_with("To replay")) {
        assert!(
            plain(&text).contains(line.trim_end()),
            "the README has\n{line}\nbut the report is\n{}",
            plain(&text)
        );
    }
    let replayed = Builder::new().replay(&schedule).explore(bluetooth::scenario).unwrap();
    assert_eq!(replayed.finding.unwrap().trace, report.finding.unwrap().trace);
}
