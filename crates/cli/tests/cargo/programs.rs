//! `cargo caissa run`.

use crate::project::{Project, run, trial};

const MANIFEST: &str =
    "[package]\nname = \"settled\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

const PROGRAM: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
static COUNT: AtomicU32 = AtomicU32::new(0);
fn main() {
    let add = || (0..9).for_each(|_| drop(COUNT.fetch_add(1, SeqCst)));
    std::thread::scope(|scope| drop([scope.spawn(add), scope.spawn(add)]));
}
";

#[test]
fn files_say_how_a_program_is_explored() {
    let files = [("Cargo.toml", MANIFEST), ("src/main.rs", PROGRAM)];
    let said = |text: &'static str| {
        let project = Project::write("settled", &files);
        std::fs::write(project.path().join("caissa.toml"), text).expect("it can be written");
        project
    };
    let project = said("max-executions = 7\n[[test]]\nname = \"*\"\nmax-executions = 1\n");
    assert_eq!(project.caissa("run --json").json().number("executions"), Some(7));
    assert_eq!(project.caissa("run --json --max-executions 3").json().number("executions"), Some(3));
    said("max-execution = 7\n")
        .caissa("run")
        .expect_mistake(&["caissa.toml:1: there is no key `max-execution`"]);
}

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
