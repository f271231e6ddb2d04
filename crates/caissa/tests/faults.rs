//! Faults: timeouts that fire early, wake-ups and failures for no reason. What can happen within each budget, by hand.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::types_outcomes::{assert_says, explored_with, finding, finding_with, outcomes_within};
use caissa::sync::atomic::{AtomicU32, Ordering::SeqCst};
use caissa::sync::mpsc::{self, RecvTimeoutError};
use caissa::sync::{Arc, Condvar, Mutex};
use caissa::time::Instant;
use caissa::{Bug, Builder, OpKind, Search, Verdict, thread};

const MS: Duration = Duration::from_millis(1);

fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    values.into_iter().collect()
}

/// The outcomes with budgets of 0, 1 and 2 faults.
fn by_budget<T, F>(f: F) -> [BTreeSet<T>; 3]
where
    T: Ord + std::fmt::Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + Copy + 'static,
{
    [0, 1, 2].map(|faults| outcomes_within(faults, f))
}

// ---- compare_exchange_weak ----

#[test]
fn a_weak_exchange_fails_as_often_as_there_are_faults() {
    let tries = || {
        let number = AtomicU32::new(5);
        let mut tries = 1;
        while let Err(found) = number.compare_exchange_weak(5, 6, SeqCst, SeqCst) {
            assert_eq!(found, 5, "it fails for no reason");
            tries += 1;
        }
        assert_eq!(number.load(SeqCst), 6);
        tries
    };
    assert_eq!(by_budget(tries), [set([1]), set([1, 2]), set([1, 2, 3])]);
}

#[test]
fn one_execution_for_each_place_of_a_fault() {
    // Three exchanges: no fault, one at any of the three (tried again, the next may fail too).
    let exchanges = || {
        let number = AtomicU32::new(0);
        for n in 0..3 {
            let _ = number.compare_exchange_weak(n, n + 1, SeqCst, SeqCst);
        }
        number.load(SeqCst)
    };
    for (faults, executions) in [(0, 1), (1, 4)] {
        let explored = explored_with(Builder::new().faults(faults), exchanges);
        assert_eq!((explored.executions, explored.classes), (executions, executions), "{faults}");
    }
    // A failure at n leaves n, so that nothing is exchanged from there on, and nothing more can fail.
    assert_eq!(by_budget(exchanges), [set([3]), set([0, 1, 2, 3]), set([0, 1, 2, 3])]);
}

#[test]
fn the_strong_exchange_and_fetch_update_do_not_fail() {
    let calls = || {
        let number = AtomicU32::new(5);
        let mut calls = 0;
        let updated = number.fetch_update(SeqCst, SeqCst, |n| {
            calls += 1;
            Some(n + 1)
        });
        (updated, calls, number.compare_exchange(6, 7, SeqCst, SeqCst))
    };
    assert_eq!(outcomes_within(2, calls), set([(Ok(5), 1, Ok(6))]));
}

/// A loop that takes a failure to mean that another task has won.
#[test]
fn a_weak_exchange_in_place_of_a_strong_one_is_found() {
    let take = |weak: bool| {
        move || {
            let flag = AtomicU32::new(0);
            let taken = if weak {
                flag.compare_exchange_weak(0, 1, SeqCst, SeqCst)
            } else {
                flag.compare_exchange(0, 1, SeqCst, SeqCst)
            };
            assert!(taken.is_ok(), "nobody else is there");
        }
    };
    let (found, text) = finding(take(true));
    assert_eq!((found.faults, found.preemptions, found.spent), (1, 0, 0));
    assert!(found.minimal, "{text}");
    assert_says(
        &text,
        &["may fail for no reason atomic#0: yes", "no preemptions and 1 fault", "nobody else is there"],
    );
    Builder::new().check(take(false));
    Builder::new().faults(0).check(take(true));
}

// ---- condvars ----

/// Main waits once; the other task notifies under the lock, which it takes when main waits.
fn wait_once(timeout: Option<Duration>) -> (u32, bool) {
    let shared = Arc::new((Mutex::new(0), Condvar::new()));
    let mut value = shared.0.lock().unwrap();
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            *shared.0.lock().unwrap() = 1;
            shared.1.notify_one();
        })
    };
    let mut timed_out = false;
    value = match timeout {
        None => shared.1.wait(value).unwrap(),
        Some(timeout) => {
            let (guard, result) = shared.1.wait_timeout(value, timeout).unwrap();
            timed_out = result.timed_out();
            guard
        }
    };
    let seen = *value;
    drop(value);
    other.join().unwrap();
    (seen, timed_out)
}

#[test]
fn a_wait_may_end_for_no_reason() {
    let budgets = by_budget(|| wait_once(None));
    assert_eq!(budgets, [set([(1, false)]), set([(0, false), (1, false)]), set([(0, false), (1, false)])]);
}

#[test]
fn a_timed_wait_may_time_out_or_end_for_no_reason() {
    let all = || set([(0, false), (0, true), (1, false), (1, true)]);
    // Without faults the other task always comes first, since it can go on.
    assert_eq!(by_budget(|| wait_once(Some(MS))), [set([(1, false)]), all(), all()]);
}

/// The time is up at once, but the step in which the task stops to wait can still come after the notification.
#[test]
fn a_timed_wait_for_no_time_needs_no_fault() {
    let none = set([(0, true), (1, false), (1, true)]);
    let all = set([(0, false), (0, true), (1, false), (1, true)]);
    assert_eq!(by_budget(|| wait_once(Some(Duration::ZERO))), [none, all.clone(), all]);
}

#[test]
fn a_timed_wait_that_nobody_ends_times_out() {
    let wait = || {
        let (lock, condvar) = (Mutex::new(()), Condvar::new());
        let started = Instant::now();
        let (guard, result) = condvar.wait_timeout(lock.lock().unwrap(), 5 * MS).unwrap();
        drop(guard);
        (result.timed_out(), started.elapsed())
    };
    let woken = (false, Duration::ZERO);
    assert_eq!(
        by_budget(wait),
        [set([(true, 5 * MS)]), set([(true, 5 * MS), woken]), set([(true, 5 * MS), woken])]
    );
}

/// A notification goes to a task that still waits; one that has stopped to wait does not take it away from another.
#[test]
fn a_notification_is_not_lost_on_a_task_that_has_stopped_to_wait() {
    let notified = || {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let main = thread::current();
        let waiters = [5, 7].map(|ms| {
            let (shared, main) = (Arc::clone(&shared), main.clone());
            thread::spawn(move || {
                let mut waiting = shared.0.lock().unwrap();
                *waiting += 1;
                if *waiting == 2 {
                    main.unpark();
                }
                shared.1.wait_timeout(waiting, ms * MS).unwrap().1.timed_out()
            })
        });
        thread::park();
        drop(shared.0.lock().unwrap());
        shared.1.notify_one();
        waiters.map(|waiter| waiter.join().unwrap())
    };
    let (first, second, neither, both) = ([false, true], [true, false], [false, false], [true, true]);
    // The notified one does not time out; the other does, when nothing else is left.
    assert_eq!(outcomes_within(0, notified), set([first, second]));
    // With one fault main may come too early and nobody is notified, or one may wake for no reason and leave the
    // notification to the other.
    assert_eq!(outcomes_within(1, notified), set([first, second, neither, both]));
}

#[test]
fn wait_timeout_while_goes_by_the_condition() {
    let wait = |timeout: Duration| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                *shared.0.lock().unwrap() = true;
                shared.1.notify_one();
            })
        };
        let guard = shared.0.lock().unwrap();
        let (guard, result) = shared.1.wait_timeout_while(guard, timeout, |set| !*set).unwrap();
        let seen = (*guard, result.timed_out());
        drop(guard);
        other.join().unwrap();
        seen
    };
    let (set_, late) = ((true, false), (false, true));
    assert_eq!(by_budget(move || wait(MS)), [set([set_]), set([set_, late]), set([set_, late])]);
    assert_eq!(
        by_budget(move || wait(Duration::ZERO)),
        [set([set_, late]), set([set_, late]), set([set_, late])]
    );
}

#[test]
#[allow(deprecated)]
fn milliseconds_as_numbers() {
    let wait = || {
        let (lock, condvar) = (Mutex::new(()), Condvar::new());
        let started = Instant::now();
        let notified = condvar.wait_timeout_ms(lock.lock().unwrap(), 3).unwrap().1;
        thread::park_timeout_ms(4);
        thread::sleep_ms(5);
        (notified, started.elapsed())
    };
    assert_eq!(outcomes_within(0, wait), set([(false, 12 * MS)]));
}

// ---- park ----

#[test]
fn a_park_may_return_for_no_reason() {
    let park = || {
        let set = Arc::new(AtomicU32::new(0));
        let (main, other) = (thread::current(), Arc::clone(&set));
        let other = thread::spawn(move || {
            other.store(1, SeqCst);
            main.unpark();
        });
        thread::park();
        let seen = set.load(SeqCst);
        other.join().unwrap();
        seen
    };
    assert_eq!(by_budget(park), [set([1]), set([0, 1]), set([0, 1])]);
}

/// The token that comes after a park has returned for no reason is there for the next one.
#[test]
fn a_park_that_returns_for_no_reason_takes_no_token() {
    let park = || {
        let (start, main) = (Instant::now(), thread::current());
        let other = thread::spawn(move || main.unpark());
        thread::park();
        thread::park_timeout(MS);
        let elapsed = start.elapsed();
        other.join().unwrap();
        elapsed
    };
    // Either the first park took the token and the second one timed out, or the second took it at once.
    assert_eq!(by_budget(park)[..2], [set([MS]), set([Duration::ZERO, MS])]);
}

#[test]
fn a_timed_park_returns_with_the_token_or_in_time() {
    let park = |timeout: Duration| {
        let (start, main) = (Instant::now(), thread::current());
        let other = thread::spawn(move || main.unpark());
        thread::park_timeout(timeout);
        let elapsed = start.elapsed();
        other.join().unwrap();
        elapsed
    };
    let (at_once, late) = (Duration::ZERO, 5 * MS);
    assert_eq!(by_budget(move || park(5 * MS)), [set([at_once]), set([at_once, late]), set([at_once, late])]);
    assert_eq!(by_budget(move || park(at_once)), [set([at_once]), set([at_once]), set([at_once])]);
}

// ---- channels ----

/// What a receive gives and how long it takes, as text.
fn receive(timeout: Duration, bound: Option<usize>) -> String {
    let start = Instant::now();
    let (receiver, other) = match bound {
        None => {
            let (sender, receiver) = mpsc::channel();
            (receiver, thread::spawn(move || sender.send(7).is_ok()))
        }
        Some(bound) => {
            let (sender, receiver) = mpsc::sync_channel(bound);
            (receiver, thread::spawn(move || sender.send(7).is_ok()))
        }
    };
    let received = receiver.recv_timeout(timeout);
    let text = format!("{received:?} after {:?}", start.elapsed());
    drop(receiver);
    other.join().unwrap();
    text
}

#[test]
fn a_receive_may_time_out() {
    let [got, late, none] =
        ["Ok(7) after 0ns", "Err(Timeout) after 1ms", "Err(Timeout) after 0ns"].map(String::from);
    for bound in [None, Some(1), Some(0)] {
        let with_faults = set([got.clone(), late.clone()]);
        let expected = [set([got.clone()]), with_faults.clone(), with_faults];
        assert_eq!(by_budget(move || receive(MS, bound)), expected, "{bound:?}");
        let expected = set([got.clone(), none.clone()]);
        assert_eq!(
            by_budget(move || receive(Duration::ZERO, bound)),
            [(); 3].map(|()| expected.clone()),
            "{bound:?}"
        );
    }
}

#[test]
fn a_receive_that_nothing_can_come_for() {
    let receive = |hang_up: bool| {
        let (sender, receiver) = mpsc::channel::<u32>();
        let start = Instant::now();
        let kept = (!hang_up).then_some(sender);
        let result = receiver.recv_timeout(3 * MS);
        drop(kept);
        (result == Err(RecvTimeoutError::Disconnected), start.elapsed())
    };
    assert_eq!(outcomes_within(1, move || receive(true)), set([(true, Duration::ZERO)]));
    assert_eq!(outcomes_within(1, move || receive(false)), set([(false, 3 * MS)]));
}

/// A sender that only tries finds the receiver waiting, or not any more.
#[test]
fn a_receiver_that_has_timed_out_meets_nobody() {
    let meet = || {
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = thread::spawn(move || sender.try_send(7).is_ok());
        let received = receiver.recv_timeout(MS).is_ok();
        (received, other.join().unwrap())
    };
    let either = set([(false, false), (true, true)]);
    assert_eq!(by_budget(meet), [either.clone(), either.clone(), either]);
}

// ---- reports, replay, settings ----

/// A wait without a loop, and its fixed twin.
fn waits(in_a_loop: bool) {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            *shared.0.lock().unwrap() = true;
            shared.1.notify_one();
        })
    };
    let mut set = shared.0.lock().unwrap();
    if in_a_loop {
        set = shared.1.wait_while(set, |set| !*set).unwrap();
    } else if !*set {
        set = shared.1.wait(set).unwrap();
    }
    assert!(*set, "it went on too early");
    drop(set);
    other.join().unwrap();
}

#[test]
fn a_wait_without_a_loop_is_found_and_replays() {
    let (found, text) = finding(|| waits(false));
    assert_eq!((found.faults, found.preemptions), (1, 0));
    assert_eq!(found.trace.events.iter().filter(|event| event.is_fault()).count(), 1);
    let Bug::Panic { panic, .. } = &found.bug else { panic!("{text}") };
    assert!(panic.message.contains("too early"));
    assert_says(
        &text,
        &["may wake by itself: yes", "wake by itself condvar#", "lock again mutex#", "and 1 fault"],
    );
    assert!(!text.contains(": no\n"), "faults that do not happen are not shown: {text}");
    Builder::new().search(Search::Dfs).faults(2).check(|| waits(true));
    Builder::new().search(Search::Dfs).faults(0).check(|| waits(false));
}

/// A loop that counts on one timeout, and one that needs two faults to go wrong.
#[test]
fn a_bug_of_two_faults_needs_a_budget_of_two() {
    let twice = || {
        let number = AtomicU32::new(0);
        let failed = (0..2).all(|_| number.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_err());
        assert!(!failed, "both tries failed");
    };
    let (found, text) = finding_with(Builder::new().faults(2), twice);
    assert_eq!(found.faults, 2, "{text}");
    assert_says(&text, &["and 2 faults"]);
    Builder::new().search(Search::Dfs).check(twice);
}

#[test]
fn a_schedule_is_replayed_only_under_its_budget() {
    let schedule = finding(|| waits(false)).0.schedule();
    let error = Builder::new().faults(0).replay(&schedule).explore(|| waits(false)).unwrap_err();
    assert_says(&error.to_string(), &["a faults budget of 1, here 0", "CAISSA_FAULTS"]);
}

#[test]
fn verdicts_name_the_budget() {
    let said = |faults| Builder::new().faults(faults).explore(|| waits(true)).unwrap().to_string();
    assert_says(&said(0), &["no faults"]);
    assert_says(&said(1), &["at most 1 fault"]);
    assert_says(&said(2), &["at most 2 faults"]);
}

/// Of a finding with needless faults the minimised form has none.
#[test]
fn minimising_prefers_fewer_faults() {
    let (found, text) = finding_with(Builder::new().search(Search::Dfs).faults(2), || {
        let number = AtomicU32::new(0);
        let _ = number.compare_exchange_weak(0, 1, SeqCst, SeqCst);
        thread::park_timeout(MS);
        panic!("always");
    });
    assert_eq!(found.faults, 0, "{text}");
}

/// A task that waits with a timeout has given its turn away: that others go on is no preemption.
#[test]
fn a_wait_that_may_time_out_is_left_free_of_charge() {
    let report = Builder::new().bound(0).explore(|| {
        let (sender, receiver) = mpsc::channel();
        let number = Arc::new(AtomicU32::new(0));
        let other = {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                number.store(1, SeqCst);
                thread::park();
                let _ = sender.send(());
            })
        };
        // It times out between the store and the send.
        let late = receiver.recv_timeout(MS).is_err();
        assert!(!late || number.load(SeqCst) == 0, "late, and the store was seen");
        other.thread().unpark();
        other.join().unwrap();
    });
    let report = report.unwrap();
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    let kinds: Vec<_> = report.finding.unwrap().trace.events.iter().map(|event| event.op.kind).collect();
    assert!(kinds.contains(&OpKind::RecvExpires), "{kinds:?}");
}

/// A receiver that has timed out has nothing to do with its channel any more: it is not woken by it at the next place.
#[test]
fn a_receive_that_timed_out_leaves_no_trace_at_the_channel() {
    let explored = explored_with(Builder::new().faults(0), || {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(7).is_ok());
        let received = receiver.recv_timeout(Duration::ZERO).is_ok();
        drop(receiver);
        (received, other.join().unwrap())
    });
    assert_eq!(explored.outcomes, set([(false, false), (false, true), (true, true)]));
    // The other task sends, drops and ends. Main comes and drops; if it comes first it finds nothing and looks again in
    // between. Orders: C(5, 2) if it comes first, and C(5, 2) - 4 if not. Classes, without the end: C(4, 2), and C(4, 2) - 3.
    assert_eq!((explored.executions, explored.classes), (16, 9));
}

/// Tasks in the middle of every kind of wait are unwound when the execution ends early, and their destructors run.
#[test]
fn tasks_that_wait_are_unwound() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Counted {
        fn new() -> Counted {
            ALIVE.fetch_add(1, Ordering::Relaxed);
            Counted
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let long = Duration::from_secs(100);
    let (found, text) = finding_with(Builder::new().bound(0), move || {
        type Wait = fn(&(Mutex<()>, Condvar), Duration);
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let (_sender, receiver) = mpsc::sync_channel::<u32>(0);
        let waits: [Wait; 6] = [
            |shared, long| drop(shared.1.wait_timeout(shared.0.lock().unwrap(), long)),
            |shared, long| drop(shared.1.wait_timeout_while(shared.0.lock().unwrap(), long, |()| true)),
            |shared, _| drop(shared.1.wait(shared.0.lock().unwrap())),
            |_, long| thread::park_timeout(long),
            |_, long| thread::sleep(long),
            |_, _| thread::park(),
        ];
        for wait in waits {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let _counted = Counted::new();
                wait(&shared, long);
            });
        }
        let _ = receiver.recv_timeout(MS);
        panic!("with tasks that wait");
    });
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0, "{text}");
    assert_eq!(found.bug.kind(), "panic");
}
