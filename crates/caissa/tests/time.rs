//! Virtual time: it passes by timeouts and sleeps only, the same in every execution of a schedule.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::types_outcomes::{assert_says, explored, outcomes, outcomes_within};
use caissa::sync::atomic::{AtomicBool, Ordering::SeqCst};
use caissa::sync::{Arc, Condvar, Mutex, mpsc};
use caissa::time::Instant;
use caissa::{Builder, Search, Verdict, hint, thread};

const MS: Duration = Duration::from_millis(1);

fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    values.into_iter().collect()
}

#[test]
fn time_begins_anew_and_passes_by_sleeping_only() {
    let elapsed = outcomes(|| {
        let start = Instant::now();
        let again = Instant::now();
        thread::sleep(Duration::from_secs(3600));
        thread::sleep(5 * MS);
        (again == start, format!("{start:?}"), start.elapsed())
    });
    assert_eq!(elapsed, set([(true, "Instant(0ns)".to_owned(), Duration::from_secs(3600) + 5 * MS)]));
}

#[test]
fn sleeps_of_two_tasks_overlap_and_end_in_any_order() {
    let seen = outcomes(|| {
        let start = Instant::now();
        let other = thread::spawn(move || {
            thread::sleep(3 * MS);
            start.elapsed()
        });
        thread::sleep(5 * MS);
        let mine = start.elapsed();
        (mine, other.join().unwrap())
    });
    // The shorter sleep ends at 3 ms or later, the longer one at 5 ms: each was begun at 0. If the other task begins to
    // sleep after the longer sleep, its sleep ends at 8 ms.
    assert!(seen.contains(&(5 * MS, 3 * MS)) && seen.contains(&(5 * MS, 5 * MS)), "{seen:?}");
    assert!(seen.iter().all(|&(mine, other)| mine >= 5 * MS && other >= 3 * MS), "{seen:?}");
}

#[test]
fn the_earliest_of_several_deadlines_comes_first() {
    let order = || {
        let log = Arc::new(Mutex::new(Vec::new()));
        let tasks = [30, 10, 20].map(|ms| {
            let log = Arc::clone(&log);
            thread::spawn(move || {
                thread::park_timeout(ms * MS);
                log.lock().unwrap().push(ms);
            })
        });
        for task in tasks {
            task.join().unwrap();
        }
        let log = log.lock().unwrap().clone();
        (log, Instant::now())
    };
    let seen = outcomes_within(0, move || order().0);
    assert!(seen.contains(&vec![10, 20, 30]), "{seen:?}");
    // A task that does nothing after its deadline but take a lock can be overtaken there.
    let first = outcomes_within(0, || {
        let (sender, receiver) = mpsc::channel();
        let tasks = [30, 10, 20].map(|ms| {
            let sender = sender.clone();
            thread::spawn(move || {
                thread::park_timeout(ms * MS);
                sender.send(ms).unwrap();
            })
        });
        let first = receiver.recv().unwrap();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        first
    });
    assert_eq!(first, set([10]), "when the first timeout fires nobody else can go on, until its task waits");
}

#[test]
fn timeouts_with_one_deadline_fire_in_any_order() {
    let seen = outcomes_within(0, || {
        let (sender, receiver) = mpsc::channel();
        let tasks = [1, 2].map(|name| {
            let sender = sender.clone();
            thread::spawn(move || {
                thread::park_timeout(10 * MS);
                sender.send(name).unwrap();
            })
        });
        let first = receiver.recv().unwrap();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        first
    });
    assert_eq!(seen, set([1, 2]));
}

/// A deadline that the clock has passed while its task waited is due without a fault.
#[test]
fn a_deadline_in_the_past_is_due() {
    let seen = outcomes_within(0, || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                thread::sleep(50 * MS);
                *shared.0.lock().unwrap() = true;
                shared.1.notify_one();
            })
        };
        let guard = shared.0.lock().unwrap();
        let waited =
            if *guard { None } else { Some(shared.1.wait_timeout(guard, 10 * MS).unwrap().1.timed_out()) };
        other.join().unwrap();
        waited
    });
    assert_eq!(seen, set([None, Some(false), Some(true)]));
}

#[test]
fn a_deadline_is_no_deadlock() {
    let report = Builder::new().faults(0).search(Search::Dfs).explore(|| {
        let lock = Arc::new(Mutex::new(()));
        let condvar = Arc::new(Condvar::new());
        let other = {
            let (lock, condvar) = (Arc::clone(&lock), Arc::clone(&condvar));
            thread::spawn(move || drop(condvar.wait_timeout(lock.lock().unwrap(), MS).unwrap()))
        };
        drop(condvar.wait_timeout(lock.lock().unwrap(), 2 * MS).unwrap());
        other.join().unwrap();
    });
    assert_eq!(report.unwrap().verdict, Verdict::Verified);
}

/// What the clock shows is something that steps depend on: orders that it tells apart are different classes.
#[test]
fn classes_know_of_the_clock() {
    let reads = explored(|| {
        let other = thread::spawn(Instant::now);
        let mine = Instant::now();
        (mine, other.join().unwrap()).0.elapsed()
    });
    assert_eq!(reads.classes, 1, "reads of the clock commute");
    let sleeps = explored(|| {
        let start = Instant::now();
        let other = thread::spawn(move || start.elapsed());
        thread::sleep(MS);
        other.join().unwrap()
    });
    assert_eq!(sleeps.outcomes, set([Duration::ZERO, MS]));
    assert_eq!(sleeps.classes, 2);
}

#[test]
fn spinning_is_a_point() {
    let seen = outcomes_within(0, || {
        let set = Arc::new(AtomicBool::new(false));
        let other = {
            let set = Arc::clone(&set);
            thread::spawn(move || set.store(true, SeqCst))
        };
        let first = set.load(SeqCst);
        hint::spin_loop();
        let second = set.load(SeqCst);
        other.join().unwrap();
        (first, second)
    });
    assert_eq!(seen, set([(false, false), (false, true), (true, true)]));
}

#[test]
fn instants_count() {
    let seen = outcomes(|| {
        let start = Instant::now();
        thread::sleep(10 * MS);
        let later = Instant::now();
        let mut moved = start;
        moved += 15 * MS;
        moved -= 5 * MS;
        assert_eq!(moved, later);
        assert_eq!(later.checked_sub(11 * MS), None);
        assert_eq!(later.checked_add(Duration::MAX), None);
        assert!(start < later && start.checked_duration_since(later).is_none());
        assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
        assert_eq!(start.duration_since(later), Duration::ZERO);
        (later - start, later - 4 * MS + MS == start + 7 * MS)
    });
    assert_eq!(seen, set([(10 * MS, true)]));
    // Outside a check it is std's.
    let start = Instant::now();
    let later = start + 10 * MS;
    assert_eq!(later - start, 10 * MS);
    assert!(later.checked_duration_since(start).is_some() && start.checked_duration_since(later).is_none());
    thread::sleep(MS);
    assert!(start.elapsed() >= MS && Instant::now() > start);
}

#[test]
fn times_of_inside_and_outside_do_not_mix() {
    let outside = Instant::now();
    let report = Builder::new().explore(move || {
        let _ = outside.elapsed();
    });
    assert_says(&report.unwrap_err().to_string(), &["time.rs", "virtual", "inside the closure"]);
    let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
    let inside = std::sync::Arc::clone(&kept);
    Builder::new().check(move || *inside.lock().unwrap() = Some(Instant::now()));
    let kept = kept.lock().unwrap().unwrap();
    assert!(std::panic::catch_unwind(|| kept.elapsed()).is_err());
    assert!(kept < Instant::now());
}
