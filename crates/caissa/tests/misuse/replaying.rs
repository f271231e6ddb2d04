//! Schedules and trace files that cannot be replayed, and why.

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Error, Report, Verdict, thread};

/// Fails if the other task runs between the load and the store; `extra` operations come before, `late` ones between.
fn lost_update(extra: usize, late: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let number = Arc::new(AtomicUsize::new(0));
        let other = {
            let number = Arc::clone(&number);
            thread::spawn(move || number.fetch_add(1, SeqCst))
        };
        (0..extra).for_each(|_| thread::yield_now());
        let seen = number.load(SeqCst);
        (0..late).for_each(|_| thread::yield_now());
        number.store(seen + 1, SeqCst);
        other.join().unwrap();
        assert_eq!(number.load(SeqCst), 2);
    }
}

fn schedule() -> String {
    let report = Builder::new().explore(lost_update(0, 0)).unwrap();
    report.finding.expect("an update is lost").schedule()
}

#[track_caller]
fn refused(replay: &str, words: &[&str]) -> Error {
    let error = Builder::new().replay(replay).explore(lost_update(0, 0)).unwrap_err();
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
    error
}

fn replay(replay: &str, program: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().replay(replay).explore(program).unwrap()
}

#[test]
fn a_schedule_replays_its_failure() {
    let report = replay(&schedule(), lost_update(0, 0));
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    assert!(report.replayed);
}

#[test]
fn a_damaged_schedule() {
    let schedule = schedule();
    let words = ["damaged", "checksum", "Copy the whole word"];
    refused(&schedule[..schedule.len() - 1], &words);
    refused(&schedule.replace("cai1:r", "cai1:rr"), &words);
    refused("cai1:", &words);
    let error = refused("lost", &["neither a schedule", "cai1:", "nor the path of a trace file"]);
    assert!(matches!(error, Error::Schedule(_)), "{error:?}");
}

#[test]
fn a_schedule_of_another_version() {
    let other = schedule().replace("cai1:", "cai7:");
    refused(&other, &["version `cai7`", "reads `cai1`", "search again"]);
}

#[test]
fn a_schedule_of_another_front_end() {
    let mut schedule: caissa_core::Schedule = schedule().parse().unwrap();
    schedule.identity.front_end = caissa_core::FrontEnd::Model;
    let words = ["another kind of program", "a model (front end `m`)", "a Rust test (`r`)"];
    let error = refused(&schedule.to_string(), &words);
    assert!(matches!(error, Error::Schedule(_)), "{error:?}");
}

#[test]
fn a_schedule_of_other_settings() {
    let error = Builder::new().reference_points(true).replay(&schedule()).explore(lost_update(0, 0));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("other settings") && text.contains("Sync") && text.contains("Reference"), "{text}");
}

#[test]
fn the_schedule_of_a_program_that_has_changed_tells_at_which_step() {
    let schedule = schedule();
    for (extra, late) in [(1, 0), (0, 1), (3, 3)] {
        let report = replay(&schedule, lost_update(extra, late));
        assert_eq!(report.verdict, Verdict::Diverged, "{report}");
        let text = report.to_string();
        for word in ["does not follow this schedule", "step", "changed", "CAISSA_TRACE", "Search again"] {
            assert!(text.contains(word), "`{word}` is missing in: {text}");
        }
        assert!(report.finding.is_none());
    }
    let report = replay(&schedule, || ());
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
}

/// A file of its own for each test.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn trace(name: &str) -> PathBuf {
    let path = file(name);
    let report = Builder::new().trace_file(&path).explore(lost_update(0, 0)).unwrap();
    assert!(report.to_string().contains(&format!("The trace is in {}", path.display())), "{report}");
    path
}

#[test]
fn a_trace_file_replays_its_failure() {
    let path = trace("replays.trace");
    let report = replay(path.to_str().expect("a path of text"), lost_update(0, 0));
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
}

#[test]
fn a_trace_file_of_a_program_that_has_changed_also_tells_how() {
    let path = trace("changed.trace");
    let report = replay(path.to_str().expect("a path of text"), lost_update(1, 0));
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
    let text = report.to_string();
    for word in ["step", "The trace has `T0 load atomic#0", "the program now does `T0 yield", "replaying.rs:"]
    {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

#[test]
fn trace_files_of_other_versions_and_other_files() {
    let trace = std::fs::read_to_string(trace("good.trace")).unwrap();
    let path = file("other.trace");
    let name = path.to_str().expect("a path of text");
    std::fs::write(&path, trace.replacen("caissa-trace 1", "caissa-trace 9", 1)).unwrap();
    refused(name, &["other.trace", "version 9", "reads 1", "search again"]);
    std::fs::write(&path, "hello\n").unwrap();
    refused(name, &["other.trace", "not a trace file", "caissa-trace 1"]);
    std::fs::write(&path, "caissa-trace 1\n").unwrap();
    refused(name, &["other.trace", "damaged", "no schedule"]);
    std::fs::write(&path, trace.replacen("schedule\tcai1:r", "schedule\tcai1:rr", 1)).unwrap();
    refused(name, &["damaged"]);
}

#[test]
fn a_trace_file_that_is_not_there() {
    refused("no/such/file.trace", &["neither a schedule", "nor the path of a trace file"]);
}

#[test]
fn a_trace_file_may_have_a_name_that_begins_like_a_schedule() {
    // A relative path: the working directory of a test is its crate.
    let name = "cai1-of-a-test.trace";
    let report = Builder::new().trace_file(name).explore(lost_update(0, 0)).unwrap();
    let again = Builder::new().replay(name).explore(lost_update(0, 0));
    std::fs::remove_file(name).unwrap();
    assert_eq!((report.verdict, again.unwrap().verdict), (Verdict::Bug, Verdict::Bug));
}

#[test]
fn a_trace_file_that_cannot_be_written() {
    // Known before anything is run.
    let ran = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    for path in ["/no/such/directory/x.trace", "/"] {
        let inside = std::sync::Arc::clone(&ran);
        let error = Builder::new().trace_file(path).explore(move || inside.store(true, Relaxed));
        let text = error.unwrap_err().to_string();
        assert!(text.contains(path) && text.contains("cannot be written"), "{text}");
    }
    assert!(!ran.load(Relaxed));
    // Found out when there is something to write: the finding is there all the same.
    let report = Builder::new().trace_file("/dev/full").explore(lost_update(0, 0)).unwrap();
    assert_eq!(report.finding.unwrap().trace_file, None);
}
