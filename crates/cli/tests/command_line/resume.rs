//! `--resume`: a search that was interrupted, by its user or by a budget, goes on and ends as if it had not been.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::json::Json;
use crate::models::{COUNTER, WORK};
use crate::run::{Run, Scratch, binary, caissa};

/// What must be the same however often a search was interrupted.
fn totals(json: &Json) -> String {
    let counted = ["bound", "executions", "classes", "steps"].map(|name| json.number(name));
    format!("{} {counted:?}", json.verdict())
}

/// Waits until the process hears interrupts, and some time more.
fn is_listening(child: &mut Child) -> bool {
    const SIGINT: u64 = 1 << 1;
    while child.try_wait().expect("it can be asked").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask & SIGINT != 0) {
            std::thread::sleep(Duration::from_millis(100));
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Runs the binary and interrupts it. On a busy machine it may have ended before; then once more, after `again`.
pub fn interrupted(args: &[&str], again: impl Fn()) -> Run {
    for _ in 0..10 {
        let child = binary().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("caissa runs");
        if is_listening(&mut child) {
            let sent = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status();
            assert!(sent.is_ok(), "a shell runs");
        }
        let run = Run::of(child.wait_with_output().expect("it ends"));
        if run.code == 130 {
            return run;
        }
        again();
    }
    panic!("it was never interrupted");
}

#[test]
fn an_interrupted_search_goes_on() {
    let scratch = Scratch::new();
    let (model, file) = (scratch.write("work.cai", WORK), scratch.file("search.resume"));
    let plain = ["check", &model, "--set", "STEPS=4", "--search", "preemptions", "--bound", "4", "--json"];
    let whole = caissa(&plain).expect(0, &[]).json();
    let args = [&plain[..], &["--resume", &file]].concat();
    let first = interrupted(&args, || assert!(!fs::exists(&file).expect("one can look"), "it was done"));
    assert_eq!(first.json().verdict(), "incomplete");
    let line = format!("To go on: caissa {}", args.join(" "));
    first.expect(130, &["caissa: interrupted after ", &line]);
    let rest = caissa(&args);
    assert_eq!(totals(&rest.expect(0, &[]).json()), totals(&whole));
    assert!(!fs::exists(&file).expect("one can look"), "the file is removed when the search is done");
}

#[test]
fn a_search_goes_on_from_budget_to_budget() {
    let scratch = Scratch::new();
    let (model, file) = (scratch.write("work.cai", WORK), scratch.file("search.resume"));
    for search in ["preemptions", "auto", "delays", "dfs", "random"] {
        let bound: &[&str] = if search == "delays" { &["--bound", "6"] } else { &[] };
        let plain = [&["check", &model, "--search", search, "--set", "STEPS=2", "--json"], bound].concat();
        let budget = if search == "random" { "600" } else { "1000000" };
        let whole = caissa(&[&plain[..], &["--max-executions", budget]].concat()).expect(0, &[]).json();
        let executions = whole.number("executions").expect("executions are counted");
        assert!(executions > 250, "{search}: {executions}");
        let part =
            |budget: &str| caissa(&[&plain[..], &["--max-executions", budget, "--resume", &file]].concat());
        let mut run = part("100");
        run.expect(0, &[]);
        assert_eq!(run.json().number("executions"), Some(100), "{search}");
        for budget in ["101", "250", budget] {
            assert!(fs::exists(&file).expect("one can look"), "{search}: it can go on");
            run = part(budget);
        }
        assert_eq!(totals(&run.expect(0, &[]).json()), totals(&whole), "{search}");
        let _ = fs::remove_file(&file);
    }
}

#[test]
fn a_search_goes_on_when_its_time_is_up() {
    let scratch = Scratch::new();
    let (model, file) = (scratch.write("work.cai", WORK), scratch.file("search.resume"));
    let plain = ["check", &model, "--set", "STEPS=4", "--search", "preemptions", "--bound", "3", "--json"];
    let whole = caissa(&plain).expect(0, &[]).json();
    let mut run = caissa(&[&plain[..], &["--time", "0.001", "--resume", &file]].concat());
    run.expect(0, &[]);
    for _ in 0..1_000 {
        if run.json().verdict() != "incomplete" {
            break;
        }
        run = caissa(&[&plain[..], &["--time", "0.1", "--workers", "2", "--resume", &file]].concat());
    }
    assert_eq!(totals(&run.json()), totals(&whole), "{run}");
}

#[test]
fn a_search_that_goes_on_finds_what_it_would_have_found() {
    let scratch = Scratch::new();
    let (counter, file) = (scratch.write("counter.cai", COUNTER), scratch.file("counter.resume"));
    let plain = ["check", &counter, "--set", "TASKS=4", "--search", "preemptions", "--json"];
    let part = caissa(&[&plain[..], &["--resume", &file, "--max-executions", "20"]].concat());
    assert_eq!(part.expect(0, &[]).json().verdict(), "incomplete");
    let rest = caissa(&[&plain[..], &["--resume", &file]].concat()).expect(1, &[]).json();
    let whole = caissa(&plain).expect(1, &[]).json();
    assert_eq!(totals(&rest), totals(&whole));
    assert_eq!(rest.text("schedule"), whole.text("schedule"));
}

#[test]
fn a_file_of_another_search_is_refused() {
    let scratch = Scratch::new();
    let (model, file) = (scratch.write("work.cai", WORK), scratch.file("search.resume"));
    let part = ["check", &model, "--search", "preemptions", "--resume", &file];
    let run = caissa(&[&part[..], &["--max-executions", "20"]].concat());
    run.expect(
        0,
        &["incomplete", "The search goes on from", "when the check is run again, with a larger budget"],
    );
    let saved = fs::read(&file).expect("the file is there");
    let others: [&[&str]; 4] = [&["--bound", "3"], &["--set", "TASKS=2"], &["--no-fair"], &["--no-races"]];
    for other in others {
        caissa(&[&part[..], other].concat()).expect_mistake(&["resume file", "search.resume"]);
    }
    let other = scratch.write("other.cai", WORK.replace("last := me", "last := me + 1"));
    let run = caissa(&["check", &other, "--search", "preemptions", "--resume", &file]);
    run.expect_mistake(&["resume file"]);
    assert_eq!(fs::read(&file).expect("the file is there"), saved, "it is left as it was");
    for damaged in [&b""[..], b"nonsense", &saved[..saved.len() / 2]] {
        fs::write(&file, damaged).expect("it can be written");
        caissa(&part).expect_mistake(&["resume file"]);
    }
    fs::write(&file, saved).expect("it can be written");
    caissa(&part).expect(0, &["bounded"]);
}
