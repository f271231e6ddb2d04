//! `--workers`: two find what one finds.

use crate::run::{caissa, corpus};

const MODELS: [&str; 14] = [
    "fail/bluetooth",
    "fail/driver2",
    "fail/example1",
    "fail/file_system",
    "fail/futures_livelock",
    "fail/philosophers",
    "fail/wsq_pop_reads_head_first",
    "pass/bluetooth",
    "pass/driver7",
    "pass/dryad_channel",
    "pass/file_system",
    "pass/hardware_software",
    "pass/leader_election",
    "pass/peterson_n",
];

/// Verdict, kind, and what was counted; the bound where the search goes by bounds. Which of several states with a bug is shown is
/// no matter of the verdict.
fn result(model: &str, options: &[&str], workers: &str) -> String {
    let path = corpus(model);
    let run = caissa(&[&["check", &path, "--json", "--quiet", "--workers", workers], options].concat());
    let json = run.json();
    let bound = json.number("bound").filter(|_| options.contains(&"preemptions"));
    let counted = ["executions", "classes", "states"].map(|name| json.number(name));
    format!("{} {} {:?} {bound:?} {counted:?}", run.code, json.verdict(), json.text("kind"))
}

fn two_find_what_one_finds(options: &[&str]) {
    for model in MODELS {
        let [one, two] = ["1", "2"].map(|workers| result(model, options, workers));
        assert_eq!(one, two, "{model} {options:?}");
    }
}

#[test]
fn two_workers_run_the_executions_of_one() {
    two_find_what_one_finds(&["--search", "preemptions"]);
}

#[test]
fn two_workers_explore_the_states_of_one() {
    two_find_what_one_finds(&["--engine", "explicit"]);
}

#[test]
fn two_workers_explore_the_states_of_one_by_bounds() {
    two_find_what_one_finds(&["--engine", "explicit", "--search", "preemptions"]);
}
