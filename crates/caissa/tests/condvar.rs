//! `sync::Condvar`: as std's outside a check; inside, the choice of the waiter is explored. Faults: tests/faults.rs.

use crate::support::types_outcomes::{assert_says, finding, outcomes, outcomes_within};
use caissa::sync::{Arc, Condvar, Mutex};
use caissa::{Bug, OpKind, TaskId, thread};

like_std! { a_waiter_goes_on_when_its_condition_holds -> (u32, bool) {
    let shared = sync::Arc::new((sync::Mutex::new(0), sync::Condvar::new()));
    let other = sync::Arc::clone(&shared);
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = 3;
        other.1.notify_one();
    });
    let mut value = shared.0.lock().unwrap();
    while *value == 0 {
        value = shared.1.wait(value).unwrap();
    }
    let seen = *value;
    drop(value);
    let again = *shared.1.wait_while(shared.0.lock().unwrap(), |value| *value == 0).unwrap();
    (seen + again, setter.join().is_ok())
} }

like_std! { notify_all_wakes_everyone -> u32 {
    let shared = sync::Arc::new((sync::Mutex::new(false), sync::Condvar::default()));
    let waiters: Vec<_> = (0..2)
        .map(|_| {
            let shared = sync::Arc::clone(&shared);
            thread::spawn(move || u32::from(*shared.1.wait_while(shared.0.lock().unwrap(), |set| !*set).unwrap()))
        })
        .collect();
    *shared.0.lock().unwrap() = true;
    shared.1.notify_all();
    waiters.into_iter().map(|waiter| waiter.join().unwrap()).sum()
} }

like_std! { a_wait_tells_that_the_mutex_was_poisoned_meanwhile -> (bool, bool) {
    let shared = sync::Arc::new((sync::Mutex::new(false), sync::Condvar::new()));
    let other = sync::Arc::clone(&shared);
    let guard = shared.0.lock().unwrap();
    let fails = thread::spawn(move || {
        let mut set = other.0.lock().unwrap();
        *set = true;
        other.1.notify_all();
        panic!("while it holds the mutex");
    });
    let poisoned = shared.1.wait_while(guard, |set| !*set).is_err();
    (poisoned, fails.join().is_err())
} }

like_std! { a_notification_that_nobody_waits_for_is_lost -> bool {
    let condvar = sync::Condvar::new();
    condvar.notify_one();
    condvar.notify_all();
    true
} }

#[test]
fn threads_outside_a_check_hand_over() {
    static TURN: Mutex<u32> = Mutex::new(0);
    static CHANGED: Condvar = Condvar::new();
    let threads = [0, 1].map(|me| {
        thread::spawn(move || {
            for _ in 0..200 {
                let mut turn = CHANGED.wait_while(TURN.lock().unwrap(), |turn| *turn % 2 != me).unwrap();
                *turn += 1;
                drop(turn);
                CHANGED.notify_all();
            }
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*TURN.lock().unwrap(), 400);
}

/// Both tasks wait before the first notification, and the second follows only when the first has been answered: the
/// order in which they answer is the choice of `notify_one` and nothing else.
#[test]
fn notify_one_wakes_either_waiter() {
    let seen = outcomes_within(0, || {
        let shared = Arc::new((Mutex::new((0, Vec::new())), Condvar::new()));
        let main = thread::current();
        let waiters = [1, 2].map(|name| {
            let (shared, main) = (Arc::clone(&shared), main.clone());
            thread::spawn(move || {
                let mut state = shared.0.lock().unwrap();
                state.0 += 1;
                if state.0 == 2 {
                    main.unpark();
                }
                shared.1.wait(state).unwrap().1.push(name);
                main.unpark();
            })
        });
        for _ in 0..2 {
            thread::park();
            let _state = shared.0.lock().unwrap();
            shared.1.notify_one();
        }
        for waiter in waiters {
            waiter.join().unwrap();
        }
        shared.0.lock().unwrap().1.clone()
    });
    assert_eq!(seen, [vec![1, 2], vec![2, 1]].into());
}

#[test]
fn a_waiter_does_not_hold_the_mutex_and_takes_it_again() {
    let seen = outcomes_within(0, || {
        let shared = Arc::new((Mutex::new(vec!["main waits"]), Condvar::new()));
        let mut log = shared.0.lock().unwrap();
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut log = shared.0.lock().unwrap();
                shared.1.notify_one();
                log.push("notified");
            })
        };
        log = shared.1.wait(log).unwrap();
        log.push("main goes on");
        let log = log.clone();
        other.join().unwrap();
        log
    });
    assert_eq!(seen, [vec!["main waits", "notified", "main goes on"]].into());
}

#[test]
fn one_condvar_serves_any_number_of_rounds() {
    let seen = outcomes(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut turn = shared.1.wait_while(shared.0.lock().unwrap(), |turn| *turn != 1).unwrap();
                *turn = 2;
                shared.1.notify_one();
            })
        };
        let mut turn = shared.0.lock().unwrap();
        *turn = 1;
        shared.1.notify_one();
        turn = shared.1.wait_while(turn, |turn| *turn != 2).unwrap();
        let last = *turn;
        drop(turn);
        other.join().unwrap();
        last
    });
    assert_eq!(seen, [2].into());
}

/// The notification comes between the look at the flag and the wait.
#[test]
fn a_lost_notification_is_a_deadlock_without_a_cycle() {
    let (found, text) = finding(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new(), Mutex::new(false)));
        let waiter = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                if !*shared.2.lock().unwrap() {
                    drop(shared.1.wait(shared.0.lock().unwrap()).unwrap());
                }
            })
        };
        *shared.2.lock().unwrap() = true;
        shared.1.notify_one();
        waiter.join().unwrap();
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| (b.task, b.op.kind)).collect();
    assert_eq!(waits, [(TaskId(0), OpKind::Join), (TaskId(1), OpKind::Wait)]);
    assert_eq!(blocked[0].waits_for, [TaskId(1)]);
    assert_eq!(cycle, &[]);
    let parts =
        ["can never go on", "T1 waits for a notification of condvar#", "T1 never ends", "nobody waits"];
    assert_says(&text, &parts);
}

/// Notifying one of two waiters leaves the other behind.
#[test]
fn notify_one_for_two_waiters_is_found() {
    let (found, text) = finding(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let waiters = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || drop(shared.1.wait_while(shared.0.lock().unwrap(), |set| !*set).unwrap()))
        });
        *shared.0.lock().unwrap() = true;
        shared.1.notify_one();
        for waiter in waiters {
            waiter.join().unwrap();
        }
    });
    let Bug::Deadlock { blocked, .. } = &found.bug else { panic!("{text}") };
    assert_eq!(blocked.last().map(|b| b.op.kind), Some(OpKind::Wait));
    assert_says(&text, &["deadlock", "waits for a notification of condvar#", "notify_one", "wakes T"]);
}
