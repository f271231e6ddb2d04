//! Executions that are cut off at `max_steps` and are no finding: where they had come to is shown, and can be looked at.

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, OpKind, Report, Search, Verdict, thread};

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
    assert_says(&again, &["replayed as far as step 500 ", "is about to join T1 at", "   499  "]);
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

/// "Raise the limit" is what the report says: the same line with another limit.
#[test]
fn the_schedule_goes_on_where_the_limit_is_larger() {
    let report = builder().preemptions(1).explore(polls_and_counts).unwrap();
    let schedule = report.cut_off.expect("it is shown").trace.schedule.to_string();
    for (max_steps, steps) in [(300, MAX_STEPS), (MAX_STEPS, MAX_STEPS), (5_000, 5_000)] {
        let again = Builder::new().max_steps(max_steps).replay(&schedule).explore(polls_and_counts).unwrap();
        assert_eq!(again.verdict, Verdict::Incomplete, "{again}");
        assert_says(&again, &[&format!("replayed as far as step {steps} ")]);
    }
    // Another program is still told from it.
    let other = Builder::new().max_steps(5_000).replay(&schedule).explore(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let adds = move || {
            for _ in 0..700 {
                shared.fetch_add(1, SeqCst);
            }
        };
        thread::spawn(adds).join().unwrap();
    });
    assert_eq!(other.as_ref().map(|report| report.verdict), Ok(Verdict::Diverged), "{other:?}");
}

#[test]
fn a_bug_beyond_the_old_limit_is_shown() {
    let program = || {
        let shared = Arc::new(AtomicUsize::new(0));
        while shared.fetch_add(1, SeqCst) < 1_000 {
            thread::yield_now();
        }
        panic!("far off");
    };
    let report = builder().explore(program).unwrap();
    let schedule = report.cut_off.as_ref().unwrap_or_else(|| panic!("{report}")).trace.schedule.to_string();
    let again = Builder::new().replay(&schedule).explore(program).unwrap();
    assert_eq!(again.finding.as_ref().map(|found| found.bug.kind()), Some("panic"), "{again}");
    let schedule = again.finding.unwrap().schedule();
    let found = Builder::new().replay(&schedule).explore(program).unwrap();
    assert_eq!(found.verdict, Verdict::Bug, "{found}");
}

/// What a random walk has finished is finished by it again.
#[test]
fn what_was_cut_by_a_bound_and_then_by_the_limit_is_shown() {
    let waits_for_another = || {
        let (done, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let worker = {
            let (done, rounds) = (Arc::clone(&done), Arc::clone(&rounds));
            thread::spawn(move || {
                for _ in 0..30 {
                    rounds.fetch_add(1, SeqCst);
                }
                done.store(true, SeqCst);
            })
        };
        let waiter = thread::spawn(move || {
            while !done.load(SeqCst) {
                rounds.fetch_add(1, SeqCst);
                thread::yield_now();
            }
        });
        worker.join().unwrap();
        waiter.join().unwrap();
    };
    let mut cut_off = 0;
    for (seed, fair) in (0..8).flat_map(|seed| [(seed, false), (seed, true)]) {
        for search in [Search::Contexts, Search::Depth] {
            let settings = Builder::new().fair(fair).max_steps(50);
            let report =
                settings.clone().search(search).bound(2).finish_cut(seed).explore(waits_for_another).unwrap();
            cut_off += report.summary.step_limited();
            if let Some(shown) = &report.cut_off {
                let again =
                    settings.replay(&shown.trace.schedule.to_string()).explore(waits_for_another).unwrap();
                assert_eq!(
                    again.cut_off.map(|again| again.trace),
                    Some(shown.trace.clone()),
                    "{search:?} {seed}"
                );
            }
            assert_eq!(
                report.cut_off.is_some(),
                report.summary.step_limited() > 0,
                "{search:?} {seed}: {report}"
            );
        }
    }
    assert!(cut_off > 10, "{cut_off}");
}

#[test]
fn a_choice_that_the_limit_met_is_what_the_task_is_about_to_do() {
    let counts = || {
        let rounds = AtomicUsize::new(0);
        while caissa::choose(2) == 0 {
            rounds.fetch_add(1, SeqCst);
        }
    };
    let mut seen = Vec::new();
    for max_steps in [301, 302] {
        let builder = Builder::new().max_steps(max_steps).preemptions(0).max_executions(3);
        let report = builder.explore(counts).unwrap();
        let shown = report.cut_off.as_ref().unwrap_or_else(|| panic!("{report}"));
        let last = shown.trace.events.last().expect("it has steps").op.kind;
        assert_says(
            &report,
            &[if last == OpKind::Choose { "is about to update" } else { "is about to choose" }],
        );
        seen.push(last);
    }
    assert_ne!(seen[0], seen[1]);
}

#[test]
fn workers_show_the_same_one() {
    let show = |workers: usize| {
        let report = builder().preemptions(1).workers(workers).explore(polls_and_counts).unwrap();
        report.cut_off.unwrap_or_else(|| panic!("none is shown")).trace.schedule
    };
    let alone = show(1);
    for _ in 0..10 {
        assert_eq!(show(2), alone);
    }
}
