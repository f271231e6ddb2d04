//! What a report says of a race, and that its files replay.

use std::path::PathBuf;
use std::sync::Arc;

use caissa::sync::RwLock;
use caissa::sync::atomic::{AtomicU32, Ordering, fence};
use caissa::{Bug, Builder, Verdict, thread};

use crate::support::racing::{Data, races};

#[track_caller]
fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

fn message(set: Ordering, look: Ordering) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            let task = thread::Builder::new().name("writer".into());
            task.spawn(move || {
                shared.0.set(1);
                shared.1.store(1, set);
            })
        };
        if shared.1.load(look) == 1 {
            shared.0.get();
        }
        other.unwrap().join().unwrap();
    }
}

#[test]
fn both_accesses_and_what_is_missing_are_named() {
    let (finding, text) = races(message(Ordering::Relaxed, Ordering::Relaxed));
    assert_says(
        &text,
        &[
            "data race on cell#",
            "task T1 (writer) writes it at",
            "task T0 (main) reads it at",
            "words.rs:",
            "nothing orders the two",
            "`store atomic#",
            "(Relaxed)",
            "`load atomic#",
            "Release there and Acquire here would",
            "<- one access",
            "<- the other: a race",
        ],
    );
    let Bug::Race { first, second, overlaps, .. } = &finding.bug else { panic!("{:?}", finding.bug) };
    assert!(first.writes && !second.writes && !overlaps);
    assert!(first.source.file().ends_with("words.rs") && first.source.line() < second.source.line());
    assert!(first.step < second.step);
    let (_, text) = races(message(Ordering::Release, Ordering::Relaxed));
    assert_says(&text, &["Relaxed gives no order here: Acquire would"]);
    let (_, text) = races(message(Ordering::Relaxed, Ordering::Acquire));
    assert_says(&text, &["Relaxed gives no order there: Release would"]);
}

#[test]
fn where_nothing_lies_between_remedies_are_named() {
    let (_, text) = races(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || data.set(1))
        };
        data.get();
        other.join().unwrap();
    });
    assert_says(&text, &["Hold one lock around both accesses", "a join, a channel"]);
}

/// As `message`, with fences around relaxed accesses, where they are wanted.
fn fenced(set: bool, look: bool) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0.set(1);
                if set {
                    fence(Ordering::Release);
                }
                shared.1.store(1, Ordering::Relaxed);
            })
        };
        if shared.1.load(Ordering::Relaxed) == 1 {
            if look {
                fence(Ordering::Acquire);
            }
            shared.0.get();
        }
        other.join().unwrap();
    }
}

#[test]
fn fences_that_are_there_are_not_missed() {
    let (_, text) = races(fenced(true, false));
    assert_says(&text, &["Relaxed gives no order here: Acquire would"]);
    let (_, text) = races(fenced(false, true));
    assert_says(&text, &["Relaxed gives no order there: Release would"]);
    let (_, text) = races(fenced(false, false));
    assert_says(&text, &["Release there and Acquire here would"]);
}

#[test]
fn a_lock_that_both_hold_for_reading_is_named() {
    let (_, text) = races(|| {
        let shared = Arc::new((Data::default(), RwLock::new(())));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let _held = shared.1.read().unwrap();
                shared.0.set(1);
            })
        };
        let held = shared.1.read().unwrap();
        drop(shared.1.read().unwrap());
        shared.0.get();
        drop(held);
        other.join().unwrap();
    });
    assert_says(&text, &["Both tasks hold rwlock#", "Who writes has to hold it by `write`"]);
}

#[test]
fn a_pointer_that_counts_as_a_write_is_called_a_pointer() {
    let (_, text) = races(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                data.cell().get();
            })
        };
        data.get();
        other.join().unwrap();
    });
    assert_says(
        &text,
        &[
            "takes a pointer to it at",
            "reads it at",
            "get cell#",
            "`get` counts as a write when it is called",
        ],
    );
}

/// Steps that are named are shown, however many lie around them.
#[test]
fn what_is_named_is_not_folded_away() {
    let program = || {
        let shared = Arc::new((Data::default(), AtomicU32::new(0), AtomicU32::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0.set(1);
                for _ in 0..10 {
                    shared.2.load(Ordering::Relaxed);
                }
                shared.1.store(1, Ordering::Relaxed);
                for _ in 0..10 {
                    shared.2.load(Ordering::Relaxed);
                }
            })
        };
        let mut seen = 0;
        for _ in 0..2 {
            seen |= shared.1.load(Ordering::Relaxed);
        }
        if seen == 1 {
            shared.0.get();
        }
        other.join().unwrap();
    };
    let text = Builder::new().explore(program).unwrap().to_string();
    assert_says(&text, &["'s `store atomic#", "more steps of T1", "  store atomic#"]);
}

/// Where what is named comes first among the steps that are left out.
#[test]
fn what_is_left_out_is_counted() {
    let report = Builder::new().preemptions(0).explore(|| {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let own = AtomicU32::new(0);
                (0..3).for_each(|value| own.store(value, Ordering::SeqCst));
                shared.1.load(Ordering::Relaxed);
                (0..30).for_each(|value| own.store(value, Ordering::SeqCst));
                shared.0.get();
            })
        };
        shared.0.set(1);
        shared.1.store(1, Ordering::Release);
        other.join().unwrap();
    });
    assert_says(&report.unwrap().to_string(), &["Acquire would", "... 28 more steps of T1 ..."]);
}

#[test]
fn what_stored_nothing_is_not_named() {
    let (_, text) = races(|| {
        let shared = Arc::new((Data::default(), AtomicU32::new(5)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.1.load(Ordering::Acquire);
                shared.0.get();
            })
        };
        shared.0.set(1);
        fence(Ordering::Release);
        let _ = shared.1.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
        other.join().unwrap();
    });
    assert!(!text.contains("another store"), "{text}");
}

#[test]
fn an_access_that_is_not_over_is_named_so() {
    let (finding, text) = races(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || data.cell().with_mut(|_| thread::yield_now()))
        };
        data.get();
        other.join().unwrap();
    });
    assert!(matches!(finding.bug, Bug::Race { overlaps: true, .. }), "{:?}", finding.bug);
    assert_says(
        &text,
        &["the first is not over when the second comes", "until `with` or `with_mut` has returned"],
    );
}

#[test]
fn trace_files_replay_and_tell_the_race() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("race.trace");
    let program = message(Ordering::Relaxed, Ordering::Relaxed);
    let report = Builder::new().trace_file(&path).explore(program.clone()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_says(&text, &["summary\tdata race on cell#", "write cell#", "read cell#"]);
    let again = Builder::new().replay(path.to_str().unwrap()).explore(program).unwrap();
    assert_eq!(again.verdict, Verdict::Bug, "{again}");
    assert!(again.finding.unwrap().bug.is_same_as(&report.finding.unwrap().bug));
}

#[test]
fn a_schedule_of_a_search_that_did_not_look_for_races_shows_the_race_first() {
    let program = || {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.1.store(1, Ordering::Relaxed);
                shared.0.set(1);
            })
        };
        let seen = shared.1.load(Ordering::Relaxed);
        let data = shared.0.get();
        thread::yield_now();
        other.join().unwrap();
        assert_eq!((seen, data), (0, 0), "seen");
    };
    let off = Builder::new().races(false).explore(program).unwrap().finding.expect("the assertion fails");
    assert_eq!(off.bug.kind(), "panic");
    let again = Builder::new().races(false).replay(&off.schedule()).explore(program).unwrap();
    assert_eq!(again.finding.expect("it does again").bug.kind(), "panic");
    let raced = Builder::new().replay(&off.schedule()).explore(program).unwrap();
    assert_eq!(raced.finding.as_ref().map(|found| found.bug.kind()), Some("race"), "{raced}");
}
