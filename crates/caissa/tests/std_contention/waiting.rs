//! `Condvar` and `Barrier`.
#![allow(deprecated)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use caissa::sync::atomic::{AtomicU32, Ordering::SeqCst};
use caissa::sync::{
    Arc, Barrier, BarrierWaitResult, Condvar, LockResult, Mutex, MutexGuard, WaitTimeoutResult,
};
use caissa::thread;
use caissa::time::{Duration, Instant};

use crate::std_contention::{MS, ZERO, contend};

/// Two tasks wait for at most 10 ms, and a third one notifies: who waits then, in the order in which they came, and who is
/// woken in time.
fn woken_in_time(notify: fn(&Condvar)) -> (Vec<usize>, [bool; 2]) {
    let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let waiters = [0, 1].map(|me| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let mut waiting = shared.0.lock().unwrap();
            waiting.push(me);
            !shared.1.wait_timeout(waiting, 10 * MS).unwrap().1.timed_out()
        })
    });
    let guard = shared.0.lock().unwrap();
    let waiting = guard.clone();
    notify(&shared.1);
    drop(guard);
    (waiting, waiters.map(|waiter| waiter.join().unwrap()))
}

/// A wait with a timeout.
type TimedWait =
    for<'a> fn(&Condvar, MutexGuard<'a, u32>) -> LockResult<(MutexGuard<'a, u32>, WaitTimeoutResult)>;

/// This task waits; another one takes the mutex for 4 ms, sets the value and may notify. The value when the wait has ended,
/// whether it timed out, and how long that took.
fn waited(wait: TimedWait, set: u32, notify: fn(&Condvar)) -> (u32, bool, Duration) {
    let (_, waited, ()) = contend(
        (Mutex::new(0), Condvar::new()),
        |(mutex, condvar)| {
            let guard = mutex.lock().unwrap();
            let start = Instant::now();
            let (guard, result) = wait(condvar, guard).unwrap();
            (*guard, result.timed_out(), start.elapsed())
        },
        move |(mutex, condvar)| {
            let mut guard = mutex.lock().unwrap();
            thread::sleep(4 * MS);
            *guard = set;
            notify(condvar);
        },
    );
    waited
}

programs! {
    /// How often it has to wait: not at all if the flag is set before, else once, or once more for no reason.
    fn a_waiter_lets_go_of_the_mutex_and_is_woken by every_search
    covers ["sync::Condvar", "sync::Condvar::{new, wait, notify_one}"] {
        let (_, (), waits) = contend(
            (Mutex::new(false), Condvar::new()),
            |(mutex, condvar)| {
                *mutex.lock().unwrap() = true;
                condvar.notify_one();
            },
            |(mutex, condvar)| {
                let (mut guard, mut waits) = (mutex.lock().unwrap(), 0);
                while !*guard {
                    waits += 1;
                    guard = condvar.wait(guard).unwrap();
                }
                waits
            },
        );
        waits
    }
    within 0 faults gives [0, 1];
    within 1 faults gives [0, 1, 2];
    within 2 faults gives [0, 1, 2, 3];

    /// How often it looks. A notification in between may find it waiting, or coming to take the mutex again.
    fn a_waiter_waits_while_its_condition_holds by every_search covers ["sync::Condvar::{wait_while, notify_all}"] {
        let (_, (), looks) = contend(
            (Mutex::new(0), Condvar::new()),
            |(mutex, condvar)| {
                for value in [1, 2] {
                    *mutex.lock().unwrap() = value;
                    condvar.notify_all();
                }
            },
            |(mutex, condvar)| {
                let mut looks = 0;
                let holds = |value: &mut u32| {
                    looks += 1;
                    *value < 2
                };
                let value = *condvar.wait_while(mutex.lock().unwrap(), holds).unwrap();
                (value, looks)
            },
        );
        looks
    }
    within 0 faults gives [(2, 1), (2, 2), (2, 3)];
    within 1 faults gives [(2, 1), (2, 2), (2, 3), (2, 4)];

    /// Whichever of both, if both wait.
    fn notify_one_wakes_one by every_search covers ["sync::Condvar::notify_one"] {
        woken_in_time(Condvar::notify_one)
    }
    within 0 faults gives [
        (vec![], [false, false]),
        (vec![0], [true, false]),
        (vec![1], [false, true]),
        (vec![0, 1], [true, false]),
        (vec![0, 1], [false, true]),
        (vec![1, 0], [true, false]),
        (vec![1, 0], [false, true]),
    ];

    fn notify_all_wakes_all_who_wait by every_search covers ["sync::Condvar::notify_all"] {
        woken_in_time(Condvar::notify_all)
    }
    within 0 faults gives [
        (vec![], [false, false]),
        (vec![0], [true, false]),
        (vec![1], [false, true]),
        (vec![0, 1], [true, true]),
        (vec![1, 0], [true, true]),
    ];

    /// The notification comes while it waits, or it came before and time passes.
    fn a_wait_times_out_or_is_notified by every_search
    covers ["sync::Condvar::wait_timeout", "sync::WaitTimeoutResult", "sync::WaitTimeoutResult::timed_out"] {
        let (_, (), waited) = contend(
            (Mutex::new(()), Condvar::new()),
            |(_, condvar)| condvar.notify_one(),
            |(mutex, condvar)| {
                let start = Instant::now();
                let (guard, result): (_, WaitTimeoutResult) =
                    condvar.wait_timeout(mutex.lock().unwrap(), 10 * MS).unwrap();
                drop(guard);
                (result.timed_out(), start.elapsed())
            },
        );
        waited
    }
    within 0 faults gives [(false, ZERO), (true, 10 * MS)];

    /// The mutex is not held while it waits, and held afterwards. Without a fault the time does not pass while the other task
    /// can still notify.
    fn a_timed_wait_lets_go_of_the_mutex by every_search covers ["sync::Condvar::wait_timeout"] {
        let (_, (), waited) = contend(
            (Mutex::new(0), Condvar::new()),
            |(mutex, condvar)| {
                let mut guard = mutex.lock().unwrap();
                *guard = 1;
                condvar.notify_one();
                thread::yield_now();
                *guard = 2;
            },
            |(mutex, condvar)| {
                let guard = mutex.lock().unwrap();
                if *guard > 0 {
                    return (*guard, None);
                }
                let (guard, result) = condvar.wait_timeout(guard, 10 * MS).unwrap();
                (*guard, Some(result.timed_out()))
            },
        );
        waited
    }
    within 0 faults gives [(2, None), (2, Some(false))];
    within 1 faults gives [(2, None), (2, Some(false)), (0, Some(false)), (0, Some(true)), (2, Some(true))];

    fn a_wait_in_milliseconds_times_out_or_is_notified by every_search covers ["sync::Condvar::wait_timeout_ms"] {
        let (_, (), waited) = contend(
            (Mutex::new(()), Condvar::new()),
            |(_, condvar)| condvar.notify_one(),
            |(mutex, condvar)| {
                let start = Instant::now();
                let (guard, in_time) = condvar.wait_timeout_ms(mutex.lock().unwrap(), 10).unwrap();
                drop(guard);
                (in_time, start.elapsed())
            },
        );
        waited
    }
    within 0 faults gives [(true, ZERO), (false, 10 * MS)];

    /// Time passes while the other task holds the mutex: 4 ms if this one waits already. A fault lets the timeout fire before
    /// that, while the mutex is held or between; then the condition decides.
    fn a_timed_wait_ends_with_its_condition by every_search covers ["sync::Condvar::wait_timeout_while"] {
        let wait: TimedWait = |condvar, guard| condvar.wait_timeout_while(guard, 10 * MS, |value| *value < 1);
        waited(wait, 1, Condvar::notify_one)
    }
    within 0 faults gives [(1, false, ZERO), (1, false, 4 * MS)];
    within 1 faults gives [
        (1, false, ZERO), (1, false, 4 * MS), (0, true, 10 * MS), (1, false, 10 * MS), (1, false, 14 * MS)
    ];

    /// Without a word it looks only when the time has passed.
    fn a_timed_wait_looks_when_time_has_passed by every_search covers ["sync::Condvar::wait_timeout_while"] {
        let wait: TimedWait = |condvar, guard| condvar.wait_timeout_while(guard, 10 * MS, |value| *value < 1);
        waited(wait, 1, |_| ())
    }
    within 0 faults gives [(1, false, ZERO), (1, false, 10 * MS)];

    /// Being notified in vain does not make the time longer.
    fn a_timed_wait_goes_on_for_what_is_left_of_its_time by every_search covers ["sync::Condvar::wait_timeout_while"] {
        let wait: TimedWait = |condvar, guard| condvar.wait_timeout_while(guard, 10 * MS, |value| *value < 3);
        waited(wait, 2, Condvar::notify_all)
    }
    within 0 faults gives [(2, true, 10 * MS)];

    /// The other task sets the value, notifies and panics with the mutex in its hand: whoever waits is told, and so is who
    /// comes to lock.
    fn a_waiter_is_told_of_a_panic by every_search
    covers ["sync::Condvar::{wait, wait_while, wait_timeout, wait_timeout_ms, wait_timeout_while}"] {
        [0, 1, 2, 3, 4].map(|kind| {
            let (_, (), waited) = contend(
                (Mutex::new(false), Condvar::new()),
                |(mutex, condvar)| {
                    let panics = || {
                        let mut guard = mutex.lock().unwrap();
                        *guard = true;
                        condvar.notify_one();
                        panic!("while it holds the mutex");
                    };
                    catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
                },
                move |(mutex, condvar)| {
                    let Ok(guard) = mutex.lock() else { return None };
                    Some(match kind {
                        0 => condvar.wait(guard).is_err(),
                        1 => condvar.wait_while(guard, |set| !*set).is_err(),
                        2 => condvar.wait_timeout(guard, 10 * MS).is_err(),
                        3 => condvar.wait_timeout_ms(guard, 10).is_err(),
                        _ => condvar.wait_timeout_while(guard, 10 * MS, |set| !*set).is_err(),
                    })
                },
            );
            waited
        })
    }
    within 0 faults gives (0..32).map(|told| [0, 1, 2, 3, 4].map(|kind| (told >> kind & 1 == 0).then_some(true)));

    /// Two rounds. Nobody goes on before both have come, and one of both leads, whoever that is: also in the second round
    /// of those who see the other one in it already.
    fn both_wait_at_a_barrier_and_one_leads by every_search
    covers ["sync::Barrier", "sync::Barrier::{new, wait}", "sync::BarrierWaitResult", "sync::BarrierWaitResult::is_leader"] {
        fn meet_twice((barrier, came): &(Barrier, AtomicU32)) -> [(u32, bool); 2] {
            [(); 2].map(|()| {
                came.fetch_add(1, SeqCst);
                let result: BarrierWaitResult = barrier.wait();
                (came.load(SeqCst), result.is_leader())
            })
        }
        let (_, mine, theirs) = contend((Barrier::new(2), AtomicU32::new(0)), meet_twice, meet_twice);
        (mine, theirs)
    }
    within 0 faults gives {
        let leads = [(true, false), (false, true)];
        let rounds = leads.into_iter().flat_map(|first| leads.map(|second| (first, second)));
        rounds.flat_map(|(first, second)| {
            // Both have come; one may have come again.
            [(2, 2), (2, 3), (3, 2)].map(|came| {
                ([(came.0, first.0), (4, second.0)], [(came.1, first.1), (4, second.1)])
            })
        }).collect::<Vec<_>>()
    };
}
