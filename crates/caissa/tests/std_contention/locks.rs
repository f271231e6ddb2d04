//! `Mutex` and `RwLock`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use caissa::sync::{
    Barrier, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use caissa::thread;

use crate::std_contention::contend;

/// Panics with a guard in its hand, after others had time to come.
fn panics_with<G>(guard: G) {
    let panics = || {
        let _guard = guard;
        thread::yield_now();
        panic!("while it holds the lock");
    };
    catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
}

/// What a try met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Met {
    Free,
    Held,
    Poisoned,
}

fn met<G>(tried: Result<G, TryLockError<G>>) -> Met {
    match tried {
        Ok(_) => Met::Free,
        Err(TryLockError::WouldBlock) => Met::Held,
        Err(TryLockError::Poisoned(_)) => Met::Poisoned,
    }
}

/// Looks at a lock that another task holds for a while and then poisons: `is_poisoned`, then a lock, which waits while it is
/// held, then a try.
const POISONED_UNDER_THE_EYES: [(bool, Met, Met); 5] = [
    (true, Met::Poisoned, Met::Poisoned),
    (false, Met::Poisoned, Met::Poisoned),
    (false, Met::Free, Met::Poisoned),
    (false, Met::Free, Met::Held),
    (false, Met::Free, Met::Free),
];

/// `is_poisoned`, then `clear_poison`, and in the end whether it is poisoned: the panic comes before, between or after.
const CLEARED_AND_POISONED: [(bool, bool, bool); 3] =
    [(true, false, false), (false, false, false), (false, true, true)];

programs! {
    /// Whoever comes second sees what the first has left, though it let others go on in the middle.
    fn a_mutex_excludes by every_search
    covers ["sync::Mutex", "sync::Mutex::{new, lock, get_mut, into_inner}", "sync::MutexGuard"] {
        fn add_one(mutex: &Mutex<u32>) -> u32 {
            let mut guard: MutexGuard<'_, u32> = mutex.lock().unwrap();
            let seen = *guard;
            thread::yield_now();
            *guard = seen + 1;
            seen
        }
        let (mut mutex, mine, theirs) = contend(Mutex::new(0), add_one, add_one);
        *mutex.get_mut().unwrap() += 10;
        (mine, theirs, mutex.into_inner().unwrap())
    }
    within 0 faults gives [(0, 1, 12), (1, 0, 12)];

    fn a_try_to_lock_does_not_wait by every_search covers ["sync::Mutex::try_lock"] {
        let (_, (), tried) = contend(
            Mutex::new(0),
            |mutex| *mutex.lock().unwrap() = 1,
            |mutex| mutex.try_lock().ok().map(|guard| *guard),
        );
        tried
    }
    within 0 faults gives [Some(0), None, Some(1)];

    /// Two that only try: at most one fails, and not both.
    fn one_of_two_tries_succeeds by every_search covers ["sync::Mutex::try_lock"] {
        fn add_one(mutex: &Mutex<u32>) -> bool {
            mutex.try_lock().map(|mut guard| *guard += 1).is_ok()
        }
        let (mutex, mine, theirs) = contend(Mutex::new(0), add_one, add_one);
        (mine, theirs, mutex.into_inner().unwrap())
    }
    within 0 faults gives [(true, true, 2), (true, false, 1), (false, true, 1)];

    fn a_mutex_is_poisoned_when_its_holder_panics by every_search
    covers ["sync::Mutex::{is_poisoned, lock, try_lock}"] {
        let (_, looks, ()) = contend(
            Mutex::new(()),
            |mutex| {
                let looks = (mutex.is_poisoned(), met(mutex.lock().map_err(TryLockError::from)));
                (looks.0, looks.1, met(mutex.try_lock()))
            },
            |mutex| panics_with(mutex.lock().unwrap()),
        );
        looks
    }
    within 0 faults gives POISONED_UNDER_THE_EYES;

    fn the_poison_of_a_mutex_is_cleared_or_comes_later by every_search
    covers ["sync::Mutex::{is_poisoned, clear_poison, get_mut, into_inner}"] {
        let (mut mutex, before, ()) = contend(
            Mutex::new(()),
            |mutex| {
                let before = mutex.is_poisoned();
                mutex.clear_poison();
                before
            },
            |mutex| panics_with(mutex.lock().unwrap()),
        );
        assert_eq!(mutex.is_poisoned(), mutex.get_mut().is_err());
        (before, mutex.is_poisoned(), mutex.into_inner().is_err())
    }
    within 0 faults gives CLEARED_AND_POISONED;

    fn writers_exclude_each_other by every_search
    covers ["sync::RwLock", "sync::RwLock::{new, write, get_mut, into_inner}", "sync::RwLockWriteGuard"] {
        fn add_one(lock: &RwLock<u32>) -> u32 {
            let mut guard: RwLockWriteGuard<'_, u32> = lock.write().unwrap();
            let seen = *guard;
            thread::yield_now();
            *guard = seen + 1;
            seen
        }
        let (mut lock, mine, theirs) = contend(RwLock::new(0), add_one, add_one);
        *lock.get_mut().unwrap() += 10;
        (mine, theirs, lock.into_inner().unwrap())
    }
    within 0 faults gives [(0, 1, 12), (1, 0, 12)];

    /// Nothing of what a writer does is seen before it is gone, and nothing changes while a reader looks.
    fn a_writer_and_a_reader_exclude_each_other by every_search
    covers ["sync::RwLock::{read, write}", "sync::RwLockReadGuard"] {
        let (_, (), read) = contend(
            RwLock::new(0),
            |lock| {
                let mut guard = lock.write().unwrap();
                *guard = 1;
                thread::yield_now();
                *guard = 2;
            },
            |lock| {
                let guard: RwLockReadGuard<'_, u32> = lock.read().unwrap();
                let first = *guard;
                thread::yield_now();
                (first, *guard)
            },
        );
        read
    }
    within 0 faults gives [(0, 0), (2, 2)];

    /// If not, they would wait for each other at the barrier.
    fn two_readers_hold_it_together by every_search covers ["sync::RwLock::read"] {
        fn meet(shared: &(RwLock<u32>, Barrier)) -> u32 {
            let guard = shared.0.read().unwrap();
            shared.1.wait();
            *guard
        }
        let (_, mine, theirs) = contend((RwLock::new(7), Barrier::new(2)), meet, meet);
        (mine, theirs)
    }
    within 0 faults gives [(7, 7)];

    /// A writer that waits does not keep readers out: if it did, the second read would wait for it, and it for the first.
    fn a_rwlock_prefers_nobody by every_search covers ["sync::RwLock::read"] {
        let (_, read, ()) = contend(
            RwLock::new(0),
            |lock| {
                let first = lock.read().unwrap();
                let second = lock.read().unwrap();
                (*first, *second)
            },
            |lock| *lock.write().unwrap() = 1,
        );
        read
    }
    within 0 faults gives [(0, 0), (1, 1)];

    fn a_try_to_read_fails_while_another_writes by every_search covers ["sync::RwLock::try_read"] {
        let (_, (), tried) = contend(
            RwLock::new(0),
            |lock| *lock.write().unwrap() = 1,
            |lock| lock.try_read().ok().map(|guard| *guard),
        );
        tried
    }
    within 0 faults gives [Some(0), None, Some(1)];

    fn a_try_to_read_succeeds_while_another_reads by every_search covers ["sync::RwLock::{read, try_read}"] {
        let (_, read, tried) = contend(
            RwLock::new(7),
            |lock| *lock.read().unwrap(),
            |lock| lock.try_read().ok().map(|guard| *guard),
        );
        (read, tried)
    }
    within 0 faults gives [(7, Some(7))];

    fn a_try_to_write_fails_while_another_writes by every_search covers ["sync::RwLock::{write, try_write}"] {
        let (lock, (), tried) = contend(
            RwLock::new(0),
            |lock| {
                let mut guard = lock.write().unwrap();
                *guard += 1;
                thread::yield_now();
                *guard += 1;
            },
            |lock| lock.try_write().ok().map(|mut guard| std::mem::replace(&mut *guard, 10)),
        );
        (tried, lock.into_inner().unwrap())
    }
    within 0 faults gives [(Some(0), 12), (None, 2), (Some(2), 10)];

    fn a_try_to_write_fails_while_another_reads by every_search covers ["sync::RwLock::{read, try_write}"] {
        let (_, read, tried) = contend(
            RwLock::new(0),
            |lock| {
                let guard = lock.read().unwrap();
                let first = *guard;
                thread::yield_now();
                (first, *guard)
            },
            |lock| lock.try_write().map(|mut guard| *guard = 5).is_ok(),
        );
        (read, tried)
    }
    within 0 faults gives [((5, 5), true), ((0, 0), false), ((0, 0), true)];

    fn a_rwlock_is_poisoned_when_its_writer_panics by every_search
    covers ["sync::RwLock::{is_poisoned, read, write, try_read, try_write}"] {
        let (lock, looks, ()) = contend(
            RwLock::new(()),
            |lock| {
                let looks = (lock.is_poisoned(), met(lock.read().map_err(TryLockError::from)));
                (looks.0, looks.1, met(lock.try_read()))
            },
            |lock| panics_with(lock.write().unwrap()),
        );
        assert!(lock.write().is_err() && met(lock.try_write()) == Met::Poisoned);
        looks
    }
    within 0 faults gives POISONED_UNDER_THE_EYES;

    /// A writer that has to wait for it is not told anything either.
    fn a_rwlock_is_not_poisoned_when_its_reader_panics by every_search
    covers ["sync::RwLock::{is_poisoned, read, write, try_write}"] {
        let (lock, looks, ()) = contend(
            RwLock::new(()),
            |lock| (met(lock.try_write()), lock.write().is_err()),
            |lock| panics_with(lock.read().unwrap()),
        );
        (looks, lock.is_poisoned())
    }
    within 0 faults gives [((Met::Free, false), false), ((Met::Held, false), false)];

    fn the_poison_of_a_rwlock_is_cleared_or_comes_later by every_search
    covers ["sync::RwLock::{is_poisoned, clear_poison, get_mut, into_inner}"] {
        let (mut lock, before, ()) = contend(
            RwLock::new(()),
            |lock| {
                let before = lock.is_poisoned();
                lock.clear_poison();
                before
            },
            |lock| panics_with(lock.write().unwrap_or_else(PoisonError::into_inner)),
        );
        assert_eq!(lock.is_poisoned(), lock.get_mut().is_err());
        (before, lock.is_poisoned(), lock.into_inner().is_err())
    }
    within 0 faults gives CLEARED_AND_POISONED;

    /// No other writer comes in between, neither at the downgrade nor while it reads.
    fn a_downgrade_does_not_let_go by every_search covers ["sync::RwLockWriteGuard::downgrade"] {
        let (lock, (wrote, read), ()) = contend(
            RwLock::new(0),
            |lock| {
                let mut writer = lock.write().unwrap();
                *writer += 1;
                let wrote = *writer;
                let reader: RwLockReadGuard<'_, u32> = RwLockWriteGuard::downgrade(writer);
                thread::yield_now();
                (wrote, *reader)
            },
            |lock| *lock.write().unwrap() += 10,
        );
        (wrote, read, lock.into_inner().unwrap())
    }
    within 0 faults gives [(1, 1, 11), (11, 11, 11)];

    /// If not, they would wait for each other at the barrier; and nobody reads before.
    fn a_downgrade_lets_readers_in by every_search covers ["sync::RwLockWriteGuard::downgrade"] {
        let (_, (), read) = contend(
            (RwLock::new(0), Barrier::new(2)),
            |(lock, barrier)| {
                let mut writer = lock.write().unwrap();
                thread::yield_now();
                *writer = 1;
                let _reader = RwLockWriteGuard::downgrade(writer);
                barrier.wait();
            },
            |(lock, barrier)| {
                let reader = lock.read().unwrap();
                let seen = *reader;
                let _kept = (seen == 1).then_some(reader);
                barrier.wait();
                seen
            },
        );
        read
    }
    within 0 faults gives [0, 1];
}
