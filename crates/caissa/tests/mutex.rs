//! `sync::Mutex`: as std's outside a check, every order of critical sections inside.

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::sync::{Arc, Mutex, MutexGuard, TryLockError};
use caissa::{Bug, OpKind, TaskId, thread};

like_std! { holds_a_value -> (u32, u32, u32, String, String, u32) {
    let mut mutex = sync::Mutex::new(1);
    *mutex.lock().unwrap() += 1;
    let read = *mutex.lock().unwrap();
    *mutex.get_mut().unwrap() += 1;
    let tried = *mutex.try_lock().unwrap();
    let guard = mutex.lock().unwrap();
    let shown = (format!("{guard:?}"), format!("{guard}"));
    drop(guard);
    let (default, from) = (sync::Mutex::<u32>::default(), sync::Mutex::from(5));
    let sum = default.into_inner().unwrap() + from.into_inner().unwrap();
    (read, tried, mutex.into_inner().unwrap(), shown.0, shown.1, sum)
} }

like_std! { try_lock_fails_while_it_is_held -> (bool, bool) {
    let mutex = sync::Mutex::new(());
    let held = mutex.lock().unwrap();
    let while_held = matches!(mutex.try_lock(), Err(sync::TryLockError::WouldBlock));
    drop(held);
    (while_held, mutex.try_lock().is_ok())
} }

like_std! { a_panic_of_the_holder_poisons -> (Vec<bool>, u32) {
    let mutex = sync::Arc::new(sync::Mutex::new(0));
    let other = sync::Arc::clone(&mutex);
    let holder = thread::spawn(move || {
        *other.lock().unwrap() = 7;
        let _held = other.lock().unwrap();
        panic!("while it holds the mutex");
    });
    let mut facts = vec![holder.join().is_err(), mutex.is_poisoned()];
    let value = *mutex.lock().unwrap_err().into_inner();
    facts.push(matches!(mutex.try_lock(), Err(sync::TryLockError::Poisoned(_))));
    let mut mutex = sync::Arc::into_inner(mutex).unwrap();
    facts.push(mutex.get_mut().is_err());
    mutex.clear_poison();
    facts.extend([mutex.is_poisoned(), mutex.lock().is_ok()]);
    facts.push(mutex.into_inner().is_ok());
    (facts, value)
} }

like_std! { a_panic_before_the_lock_does_not_poison -> (bool, bool) {
    struct LocksWhenDropped(sync::Arc<sync::Mutex<u32>>);
    impl Drop for LocksWhenDropped {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let mutex = sync::Arc::new(sync::Mutex::new(0));
    let last = LocksWhenDropped(sync::Arc::clone(&mutex));
    let failed = thread::spawn(move || {
        let _last = last;
        panic!("the mutex is free");
    });
    (failed.join().is_err(), mutex.is_poisoned())
} }

like_std! { into_inner_of_a_poisoned_one_still_has_the_value -> (u32, String) {
    let mutex = sync::Arc::new(sync::Mutex::new(3));
    let other = sync::Arc::clone(&mutex);
    let _ = thread::spawn(move || {
        let _held = other.lock().unwrap();
        panic!("poison");
    })
    .join();
    let message = mutex.lock().unwrap_err().to_string();
    (sync::Arc::into_inner(mutex).unwrap().into_inner().unwrap_err().into_inner(), message)
} }

like_std! { unsized_values_can_be_locked -> (usize, String) {
    let slice: &sync::Mutex<[u8]> = &sync::Mutex::new([1, 2, 3]);
    let object: Box<sync::Mutex<dyn std::fmt::Debug>> = Box::new(sync::Mutex::new("text"));
    slice.lock().unwrap()[0] = 9;
    let shown = format!("{:?}", &*object.lock().unwrap());
    (slice.lock().unwrap().iter().map(|&n| n as usize).sum(), shown)
} }

#[test]
fn threads_outside_a_check_exclude_each_other() {
    static COUNTER: Mutex<u64> = Mutex::new(0);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(|| {
                for _ in 0..1000 {
                    let mut counter = COUNTER.lock().unwrap();
                    let before = *counter;
                    std::hint::black_box(&before);
                    *counter = before + 1;
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*COUNTER.lock().unwrap(), 4000);
}

#[test]
fn outside_a_check_it_is_shown_as_stds() {
    let (ours, stds) = (Mutex::new(3), std::sync::Mutex::new(3));
    assert_eq!(format!("{ours:?}"), format!("{stds:?}"));
}

#[test]
fn guards_stay_on_their_thread_and_can_be_shared() {
    fn is_sync<T: Sync>() {}
    fn is_send<T: Send>() {}
    is_sync::<MutexGuard<'static, u32>>();
    is_sync::<Mutex<std::cell::Cell<u32>>>();
    is_send::<Mutex<std::cell::Cell<u32>>>();
}

/// Main locks and unlocks; so does the other, which then ends. If main is first, there is one order of the five steps; if
/// it is second, its two steps and the other's end can be merged in three ways.
#[test]
fn critical_sections_come_in_either_order_and_never_overlap() {
    let explored = explored(|| {
        let order = Arc::new(Mutex::new(Vec::new()));
        let other = {
            let order = Arc::clone(&order);
            thread::spawn(move || order.lock().unwrap().push('b'))
        };
        order.lock().unwrap().push('a');
        other.join().unwrap();
        let order: String = order.lock().unwrap().iter().collect();
        order
    });
    assert_eq!(explored.outcomes, ["ab".to_owned(), "ba".to_owned()].into());
    assert_eq!((explored.executions, explored.classes), (4, 2));
}

#[test]
fn an_increment_in_two_critical_sections_can_be_lost() {
    fn incremented_by_two(in_one_section: bool) -> u32 {
        let counter = Arc::new(Mutex::new(0));
        let increment = move |counter: &Mutex<u32>| {
            if in_one_section {
                *counter.lock().unwrap() += 1;
            } else {
                let before = *counter.lock().unwrap();
                *counter.lock().unwrap() = before + 1;
            }
        };
        let other = {
            let counter = Arc::clone(&counter);
            thread::spawn(move || increment(&counter))
        };
        increment(&counter);
        other.join().unwrap();
        *counter.lock().unwrap()
    }
    assert_eq!(outcomes(|| incremented_by_two(true)), [2].into());
    assert_eq!(outcomes(|| incremented_by_two(false)), [1, 2].into());
}

#[test]
fn try_lock_is_seen_to_succeed_and_to_fail() {
    let seen = outcomes(|| {
        let mutex = Arc::new(Mutex::new(()));
        let holder = {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || drop(mutex.lock().unwrap()))
        };
        let got = match mutex.try_lock() {
            Ok(_) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(_)) => unreachable!("nobody panics"),
        };
        holder.join().unwrap();
        got
    });
    assert_eq!(seen, [false, true].into());
}

/// Both failing tries see the same holder, so their order does not matter.
#[test]
fn failing_try_locks_commute() {
    let explored = explored(|| {
        let mutex = Mutex::new(());
        let held = mutex.lock().unwrap();
        let both = thread::scope(|scope| {
            let tries = [(); 2].map(|()| scope.spawn(|| mutex.try_lock().is_err()));
            tries.map(|task| task.join().unwrap())
        });
        drop(held);
        both
    });
    assert_eq!(explored.outcomes, [[true, true]].into());
    assert_eq!(explored.classes, 1);
}

#[test]
fn a_task_that_panics_poisons_only_for_those_who_come_later() {
    let seen = outcomes(|| {
        let mutex = Arc::new(Mutex::new(()));
        let fails = {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || {
                let _held = mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                panic!("while it holds the mutex");
            })
        };
        let before = mutex.lock().is_err();
        let failed = fails.join().is_err();
        let after = mutex.is_poisoned();
        mutex.clear_poison();
        (before, failed, after, mutex.lock().is_ok())
    });
    assert_eq!(seen, [(false, true, true, true), (true, true, true, true)].into());
}

fn opposite_orders() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let other = {
        let locks = Arc::clone(&locks);
        thread::spawn(move || {
            let _first = locks.0.lock().unwrap();
            let _second = locks.1.lock().unwrap();
        })
    };
    {
        let _second = locks.1.lock().unwrap();
        let _first = locks.0.lock().unwrap();
    }
    other.join().unwrap();
}

#[test]
fn locks_in_opposite_order_deadlock() {
    let (found, text) = finding(opposite_orders);
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| (b.task, b.op.kind, &b.waits_for[..])).collect();
    let (main, other) = (TaskId(0), TaskId(1));
    assert_eq!(waits, [(main, OpKind::Lock, &[other][..]), (other, OpKind::Lock, &[main])]);
    assert_eq!(cycle, &[main, other]);
    assert_eq!((found.preemptions, found.minimal), (1, true));
    let parts =
        ["deadlock: tasks T0 (main) and T1 wait for each other", "held by task T0 (main)", "1 preemption;"];
    assert_says(&text, &parts);
}

#[test]
fn a_task_that_locks_twice_deadlocks() {
    let (found, text) = finding(|| {
        let mutex = Mutex::new(());
        let _once = mutex.lock().unwrap();
        let _twice = mutex.lock().unwrap();
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    assert_eq!((blocked.len(), blocked[0].op.kind), (1, OpKind::Lock));
    assert_eq!((&cycle[..], found.spent), (&[TaskId::MAIN][..], 0));
    assert_says(&text, &["waits for itself", "which it holds itself", "each runs until it blocks or ends"]);
}

#[test]
fn a_join_under_a_lock_that_the_joined_task_wants_is_a_cycle() {
    let (found, text) = finding(|| {
        let mutex = Arc::new(Mutex::new(()));
        let held = mutex.lock().unwrap();
        let wants = {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || drop(mutex.lock().unwrap()))
        };
        wants.join().unwrap();
        drop(held);
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| b.op.kind).collect();
    assert_eq!(waits, [OpKind::Join, OpKind::Lock]);
    assert_eq!(cycle, &[TaskId(0), TaskId(1)]);
    assert_says(&text, &["waits to join T1", "T1 never ends", "held by task T0 (main)"]);
}

/// The third task waits too, but not in the cycle.
#[test]
fn only_the_tasks_of_the_cycle_are_named_as_such() {
    let (found, text) = finding(|| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let tasks = [true, false].map(|forward| {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let (first, second) = if forward { (&locks.0, &locks.1) } else { (&locks.1, &locks.0) };
                let _first = first.lock().unwrap();
                let _second = second.lock().unwrap();
            })
        });
        for task in tasks {
            task.join().unwrap();
        }
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    assert_eq!(blocked.len(), 3);
    assert_eq!(cycle, &[TaskId(1), TaskId(2)]);
}

#[test]
fn whether_it_is_poisoned_can_change_under_the_eyes() {
    let seen = outcomes(|| {
        let mutex = Arc::new(Mutex::new(()));
        let fails = {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || {
                let _held = mutex.lock().unwrap();
                panic!("while it holds the mutex");
            })
        };
        let before = mutex.is_poisoned();
        let _ = fails.join();
        (before, mutex.is_poisoned())
    });
    assert_eq!(seen, [(false, true), (true, true)].into());
}
