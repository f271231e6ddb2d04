//! `sync::RwLock`: as std's outside a check; inside, readers overlap, writers exclude, and nobody is preferred.

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::sync::{Arc, Mutex, RwLock, RwLockWriteGuard};
use caissa::{Bug, OpKind, TaskId, thread};

like_std! { holds_a_value -> (u32, String, String, u32) {
    let mut lock = sync::RwLock::new(1);
    *lock.write().unwrap() += 1;
    *lock.get_mut().unwrap() += 1;
    *lock.try_write().unwrap() += 1;
    let (one, two) = (lock.read().unwrap(), lock.try_read().unwrap());
    let shown = (format!("{one:?}{two}"), *one + *two);
    drop((one, two));
    let writer = lock.write().unwrap();
    let written = format!("{writer:?}{writer}");
    drop(writer);
    let (default, from) = (sync::RwLock::<u32>::default(), sync::RwLock::from(5));
    let sum = default.into_inner().unwrap() + from.into_inner().unwrap() + shown.1;
    (lock.into_inner().unwrap(), shown.0, written, sum)
} }

like_std! { tries_fail_where_they_must -> Vec<bool> {
    let lock = sync::RwLock::new(());
    let reader = lock.read().unwrap();
    let mut facts = vec![lock.try_read().is_ok()];
    facts.push(matches!(lock.try_write(), Err(sync::TryLockError::WouldBlock)));
    drop(reader);
    let writer = lock.write().unwrap();
    facts.push(matches!(lock.try_read(), Err(sync::TryLockError::WouldBlock)));
    facts.push(matches!(lock.try_write(), Err(sync::TryLockError::WouldBlock)));
    drop(writer);
    facts.push(lock.try_write().is_ok());
    facts
} }

like_std! { a_panic_poisons_if_it_writes_and_not_if_it_reads -> Vec<bool> {
    fn panics(lock: &sync::Arc<sync::RwLock<u32>>, writing: bool) -> bool {
        let lock = sync::Arc::clone(lock);
        let task = thread::spawn(move || {
            let _writer = writing.then(|| lock.write().unwrap());
            let _reader = (!writing).then(|| lock.read().unwrap());
            panic!("while it holds the lock");
        });
        task.join().is_err()
    }
    let lock = sync::Arc::new(sync::RwLock::new(0));
    let mut facts = vec![panics(&lock, false), lock.is_poisoned()];
    facts.extend([panics(&lock, true), lock.is_poisoned()]);
    facts.push(lock.read().is_err());
    facts.push(lock.write().is_err());
    facts.push(matches!(lock.try_read(), Err(sync::TryLockError::Poisoned(_))));
    facts.push(matches!(lock.try_write(), Err(sync::TryLockError::Poisoned(_))));
    lock.clear_poison();
    facts.push(lock.is_poisoned());
    facts.push(lock.read().is_ok());
    let mut lock = sync::Arc::into_inner(lock).unwrap();
    facts.push(lock.get_mut().is_ok());
    facts.push(lock.into_inner().is_ok());
    facts
} }

like_std! { unsized_values_can_be_locked -> u8 {
    let slice: &sync::RwLock<[u8]> = &sync::RwLock::new([1, 2, 3]);
    slice.write().unwrap()[2] = 5;
    slice.read().unwrap()[2]
} }

#[test]
fn threads_outside_a_check_read_whole_values() {
    static PAIR: RwLock<(u64, u64)> = RwLock::new((0, 0));
    let writers = (0..2).map(|_| {
        thread::spawn(|| {
            for _ in 0..1000 {
                let mut pair = PAIR.write().unwrap();
                pair.0 += 1;
                std::hint::black_box(&pair.0);
                pair.1 += 1;
            }
        })
    });
    let readers = (0..2).map(|_| {
        thread::spawn(|| {
            for _ in 0..1000 {
                let pair = PAIR.read().unwrap();
                assert_eq!(pair.0, pair.1);
            }
        })
    });
    let threads: Vec<_> = writers.chain(readers).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*PAIR.read().unwrap(), (2000, 2000));
}

#[test]
fn outside_a_check_it_is_shown_as_stds() {
    let (ours, stds) = (RwLock::new(3), std::sync::RwLock::new(3));
    assert_eq!(format!("{ours:?}"), format!("{stds:?}"));
    let guards = (ours.write().unwrap(), stds.write().unwrap());
    assert_eq!(format!("{ours:?}"), format!("{stds:?}"));
    drop(guards);
}

#[test]
fn whether_it_is_poisoned_can_change_under_the_eyes() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(()));
        let fails = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let _writer = lock.write().unwrap();
                panic!("while it writes");
            })
        };
        let before = lock.is_poisoned();
        let _ = fails.join();
        lock.clear_poison();
        (before, lock.is_poisoned())
    });
    assert_eq!(seen, [(false, false), (true, false)].into());
}

#[test]
fn readers_overlap_and_a_writer_does_not() {
    /// How many hold the lock with this task, at most.
    fn together(first_writes: bool) -> (u32, u32) {
        let lock = Arc::new(RwLock::new(()));
        let inside = Arc::new(Mutex::new((0, 0)));
        let visit = |inside: &Mutex<(u32, u32)>| {
            let mut now = inside.lock().unwrap();
            now.0 += 1;
            now.1 = now.1.max(now.0);
            drop(now);
            inside.lock().unwrap().0 -= 1;
        };
        let first = {
            let (lock, inside) = (Arc::clone(&lock), Arc::clone(&inside));
            thread::spawn(move || {
                let _writer = first_writes.then(|| lock.write().unwrap());
                let _reader = (!first_writes).then(|| lock.read().unwrap());
                visit(&inside);
            })
        };
        {
            let _reader = lock.read().unwrap();
            visit(&inside);
        }
        first.join().unwrap();
        *inside.lock().unwrap()
    }
    assert_eq!(outcomes(|| together(false)), [(0, 1), (0, 2)].into());
    assert_eq!(outcomes(|| together(true)), [(0, 1)].into());
}

#[test]
fn a_reader_sees_the_value_before_or_after_a_writer() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() = 1)
        };
        let read = *lock.read().unwrap();
        writer.join().unwrap();
        read
    });
    assert_eq!(seen, [0, 1].into());
}

#[test]
fn two_writers_come_in_either_order() {
    let seen = outcomes(|| {
        let lock = RwLock::new(Vec::new());
        thread::scope(|scope| {
            for name in [1, 2] {
                let lock = &lock;
                scope.spawn(move || lock.write().unwrap().push(name));
            }
        });
        lock.into_inner().unwrap()
    });
    assert_eq!(seen, [vec![1, 2], vec![2, 1]].into());
}

#[test]
fn tries_see_the_lock_free_and_held() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(()));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || drop(lock.write().unwrap()))
        };
        let read = lock.try_read().is_ok();
        let tried = (read, lock.try_write().is_ok());
        writer.join().unwrap();
        tried
    });
    assert_eq!(seen, [(false, false), (false, true), (true, false), (true, true)].into());
}

/// All that readers do commutes.
#[test]
fn readers_alone_are_one_class() {
    let explored = explored(|| {
        let lock = RwLock::new(7);
        thread::scope(|scope| {
            let readers = [(); 2].map(|()| scope.spawn(|| *lock.read().unwrap()));
            readers.map(|reader| reader.join().unwrap())
        })
    });
    assert_eq!(explored.outcomes, [[7, 7]].into());
    assert_eq!(explored.classes, 1);
    assert!(explored.executions > 1);
}

#[test]
fn a_read_lock_that_wants_to_write_waits_for_itself() {
    let (found, text) = finding(|| {
        let lock = RwLock::new(0);
        let _reader = lock.read().unwrap();
        let _writer = lock.write().unwrap();
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    assert_eq!((blocked.len(), blocked[0].op.kind), (1, OpKind::Write));
    assert_eq!(cycle, &[TaskId::MAIN]);
    assert_says(&text, &["waits for itself", "waits to write rwlock#0", "which it holds itself"]);
}

#[test]
fn a_rwlock_and_a_mutex_in_opposite_order_deadlock() {
    let (found, text) = finding(|| {
        let locks = Arc::new((RwLock::new(()), Mutex::new(())));
        let other = {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let _reader = locks.0.read().unwrap();
                let _held = locks.1.lock().unwrap();
            })
        };
        {
            let _held = locks.1.lock().unwrap();
            let _writer = locks.0.write().unwrap();
        }
        other.join().unwrap();
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| (b.task, b.op.kind)).collect();
    assert_eq!(waits, [(TaskId(0), OpKind::Write), (TaskId(1), OpKind::Lock)]);
    assert_eq!(cycle, &[TaskId(0), TaskId(1)]);
    assert_eq!((found.preemptions, found.minimal), (1, true));
    assert_says(
        &text,
        &["deadlock: tasks T0 (main) and T1", "waits to write rwlock#", "waits to lock mutex#"],
    );
}

/// The twin: two readers and a mutex cannot deadlock, for readers do not exclude each other.
#[test]
fn readers_and_a_mutex_in_opposite_order_do_not_deadlock() {
    let seen = outcomes(|| {
        let locks = (RwLock::new(()), Mutex::new(()));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _reader = locks.0.read().unwrap();
                let _held = locks.1.lock().unwrap();
            });
            let _held = locks.1.lock().unwrap();
            let _reader = locks.0.read().unwrap();
        });
    });
    assert_eq!(seen, [()].into());
}

like_std! { a_writer_can_become_a_reader -> (u32, bool, bool, bool) {
    let lock = sync::RwLock::new(1);
    let mut writer = lock.write().unwrap();
    *writer += 1;
    let reader = sync::RwLockWriteGuard::downgrade(writer);
    let others = (lock.try_read().is_ok(), lock.try_write().is_err());
    let seen = *reader;
    drop(reader);
    (seen, others.0, others.1, lock.try_write().is_ok())
} }

/// Readers may come at once; a writer only when the reader that it became is gone.
#[test]
fn nobody_writes_between_writing_and_reading() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() += 10)
        };
        let reads = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.read().unwrap())
        };
        let mut writer = lock.write().unwrap();
        *writer += 1;
        let wrote = *writer;
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!(*reader, wrote, "nobody wrote in between");
        drop(reader);
        other.join().unwrap();
        (wrote, reads.join().unwrap())
    });
    let expected = [(1, 0), (1, 1), (1, 11), (11, 0), (11, 10), (11, 11)];
    assert_eq!(seen, expected.into());
}

/// Readers come in while the one that has written goes on reading; a writer would wait for ever.
#[test]
fn readers_come_in_at_a_downgrade_and_writers_do_not() {
    let waits_for = |writes: bool| {
        move || {
            let lock = Arc::new(RwLock::new(1));
            let writer = lock.write().unwrap();
            let other = {
                let lock = Arc::clone(&lock);
                thread::spawn(move || if writes { *lock.write().unwrap() } else { *lock.read().unwrap() })
            };
            let reader = RwLockWriteGuard::downgrade(writer);
            assert_eq!(other.join().unwrap(), *reader);
        }
    };
    assert_eq!(outcomes(waits_for(false)), [()].into());
    let (found, text) = finding(waits_for(true));
    assert_eq!(found.bug.kind(), "deadlock");
    assert_says(&text, &["downgrade rwlock#", "waits to write rwlock#", "held by task T0"]);
}
