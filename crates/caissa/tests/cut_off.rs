//! Executions that are cut off at `max_steps` and are no finding: where they had come to is shown, and can be looked at.

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Report, Search, Verdict, thread};

const MAX_STEPS: u32 = 500;

/// Polls a flag that is set too early in some schedules, and counts: no two rounds are the same, so nobody can tell that it has no end.
fn polls_and_counts() {
    let (flag, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let worker = {
        let (flag, rounds) = (Arc::clone(&flag), Arc::clone(&rounds));
        let work = move || {
            flag.store(false, SeqCst);
            while !flag.load(SeqCst) {
                rounds.fetch_add(1, SeqCst);
                thread::yield_now();
            }
        };
        thread::Builder::new().name("worker".into()).spawn(work).unwrap()
    };
    flag.store(true, SeqCst);
    worker.join().unwrap();
}

fn builder() -> Builder {
    Builder::new().max_steps(MAX_STEPS)
}

#[track_caller]
fn assert_says(report: &Report, words: &[&str]) {
    let text = report.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

#[test]
fn the_end_of_one_is_shown_and_its_schedule_replays() {
    let report = builder().preemptions(1).explore(polls_and_counts).unwrap();
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
    assert_says(
        &report,
        &[
            "cut off after `max_steps` = 500 steps",
            "ended like this",
            "   499  ",
            "load atomic#0 = false",
            "task T0 (main) is about to join T1 at",
            "task T1 (worker) is about to ",
            "cut_off.rs:",
            "To look at it: CAISSA_REPLAY=cai1:",
        ],
    );
    let shown = report.cut_off.as_ref().expect("it is shown");
    assert_eq!(shown.trace.schedule.steps, MAX_STEPS);
    let schedule = shown.trace.schedule.to_string();
    let again = builder().replay(&schedule).explore(polls_and_counts).unwrap();
    assert_eq!(again.verdict, Verdict::Incomplete, "{again}");
    assert_says(
        &again,
        &["replayed as far as `max_steps` = 500 steps", "is about to join T1 at", "   499  "],
    );
    assert_eq!(again.cut_off.expect("it is shown").trace, shown.trace);
    let whole = builder().full_trace(true).replay(&schedule).explore(polls_and_counts).unwrap();
    assert_says(&whole, &["\n     0  ", "\n   499  "]);
}

#[test]
fn every_search_shows_one() {
    let unfair = builder().fair(false).preemptions(1);
    let searches = [Search::Auto, Search::Dfs, Search::Delays, Search::Random].map(|by| builder().search(by));
    for builder in searches.into_iter().chain([unfair]) {
        let report = builder.max_executions(300).explore(polls_and_counts).unwrap();
        assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
        let shown = report.cut_off.as_ref().unwrap_or_else(|| panic!("{report}"));
        assert_eq!(shown.trace.schedule.steps, MAX_STEPS, "{report}");
    }
}

#[test]
fn nothing_is_shown_where_nothing_was_cut_off() {
    let report = builder().explore(|| ()).unwrap();
    assert!(report.cut_off.is_none(), "{report}");
    let report = builder().explore(|| panic!("at once")).unwrap();
    assert!(report.finding.is_some() && report.cut_off.is_none(), "{report}");
}
