//! `Once`, `OnceLock` and `LazyLock`.
#![allow(deprecated)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use caissa::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use caissa::sync::{Arc, LazyLock, Mutex, ONCE_INIT, Once, OnceLock, OnceState};
use caissa::thread;

use crate::std_contention::contend;

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

programs! {
    /// Whoever comes while it is being done waits until it has been: both see one call.
    fn call_once_calls_once_and_waits by every_search
    covers ["sync::Once", "sync::Once::{new, call_once, is_completed}"] {
        fn call((once, calls): &(Once, AtomicU32)) -> u32 {
            once.call_once(|| {
                calls.fetch_add(1, SeqCst);
            });
            calls.load(SeqCst)
        }
        let (shared, mine, theirs) =
            contend((Once::new(), AtomicU32::new(0)), |shared| (shared.0.is_completed(), call(shared)), call);
        (mine, theirs, shared.0.is_completed())
    }
    within 0 faults gives [((false, 1), 1, true), ((true, 1), 1, true)];

    fn wait_waits_for_the_end_of_the_call by every_search covers ["sync::Once::{wait, is_completed}"] {
        let (_, (), seen) = contend(
            (Once::new(), AtomicU32::new(0)),
            |(once, calls)| once.call_once(|| calls.store(1, SeqCst)),
            |(once, calls)| {
                let before = once.is_completed();
                once.wait();
                (before, calls.load(SeqCst), once.is_completed())
            },
        );
        seen
    }
    within 0 faults gives [(false, 1, true), (true, 1, true)];

    fn wait_panics_when_the_call_has_panicked by every_search covers ["sync::Once::{call_once, wait}"] {
        let (once, mine, theirs) = contend(
            Once::new(),
            |once| panics(|| once.call_once(|| panic!("while it is done"))),
            |once| panics(|| once.wait()),
        );
        (mine, theirs, once.is_completed(), panics(|| once.call_once(|| ())))
    }
    within 0 faults gives [(true, true, false, true)];

    /// One call that panics and one that does not mind: in either order it has been done in the end, which is what
    /// `wait_force` waits for.
    fn a_forced_call_comes_before_a_panic_or_mends_it by every_search
    covers ["sync::Once::{call_once_force, wait_force}", "sync::OnceState", "sync::OnceState::is_poisoned"] {
        let (once, done) = (Once::new(), AtomicBool::new(false));
        thread::scope(|scope| {
            let fails = scope.spawn(|| panics(|| once.call_once(|| panic!("while it is done"))));
            let waits = scope.spawn(|| {
                once.wait_force();
                done.load(SeqCst)
            });
            let mut was_poisoned = None;
            once.call_once_force(|state: &OnceState| {
                was_poisoned = Some(state.is_poisoned());
                done.store(true, SeqCst);
            });
            (fails.join().unwrap(), was_poisoned, waits.join().unwrap())
        })
    }
    within 0 faults gives [(true, Some(true), true), (false, Some(false), true)];

    /// In each execution one of both does it.
    fn a_static_once_is_new_in_each_execution by every_search covers ["sync::Once", "sync::ONCE_INIT"] {
        static ONCE: Once = ONCE_INIT;
        fn is_mine(_: &()) -> bool {
            let mut mine = false;
            ONCE.call_once(|| mine = true);
            mine
        }
        let ((), mine, theirs) = contend((), is_mine, is_mine);
        (mine, theirs, ONCE.is_completed())
    }
    within 0 faults gives [(true, false, true), (false, true, true)];

    fn the_first_value_that_is_set_stays by every_search
    covers ["sync::OnceLock", "sync::OnceLock::{new, set, into_inner}"] {
        let (lock, mine, theirs) =
            contend(OnceLock::<u32>::new(), |lock| lock.set(1), |lock| lock.set(2));
        (mine, theirs, lock.into_inner())
    }
    within 0 faults gives [(Ok(()), Err(2), Some(1)), (Err(1), Ok(()), Some(2))];

    /// Whoever comes while it is made waits for it.
    fn a_value_is_made_once by every_search covers ["sync::OnceLock::get_or_init"] {
        fn value((lock, calls): &(OnceLock<u32>, AtomicU32)) -> u32 {
            *lock.get_or_init(|| 10 + calls.fetch_add(1, SeqCst))
        }
        let (shared, mine, theirs) = contend((OnceLock::new(), AtomicU32::new(0)), value, value);
        (mine, theirs, shared.1.into_inner())
    }
    within 0 faults gives [(10, 10, 1)];

    /// A panic leaves it empty, for another task to make it.
    fn a_value_that_could_not_be_made_is_made_by_another by every_search covers ["sync::OnceLock::{get_or_init, get}"] {
        let (lock, failed, made) = contend(
            OnceLock::new(),
            |lock| panics(|| _ = lock.get_or_init(|| panic!("no value"))),
            |lock| (lock.get().copied(), *lock.get_or_init(|| 5)),
        );
        (failed, made, lock.into_inner())
    }
    within 0 faults gives [(true, (None, 5), Some(5)), (false, (None, 5), Some(5))];

    /// Setting it waits too while another task makes it.
    fn a_value_is_made_or_set by every_search covers ["sync::OnceLock::{get_or_init, set}"] {
        let (shared, made, set) = contend(
            (OnceLock::new(), AtomicU32::new(0)),
            |(lock, calls)| *lock.get_or_init(|| 10 + calls.fetch_add(1, SeqCst)),
            |(lock, _)| lock.set(4),
        );
        (made, set, shared.1.into_inner())
    }
    within 0 faults gives [(10, Err(4), 1), (4, Ok(()), 0)];

    /// A look does not wait, not even while it is made; `wait` does.
    fn get_looks_and_wait_waits by every_search covers ["sync::OnceLock::{get, wait}"] {
        let (_, _, seen) = contend(
            (OnceLock::new(), AtomicU32::new(0)),
            |(lock, calls)| *lock.get_or_init(|| 10 + calls.fetch_add(1, SeqCst)),
            |(lock, calls)| {
                let begun = calls.load(SeqCst);
                (begun, lock.get().copied(), *lock.wait())
            },
        );
        seen
    }
    within 0 faults gives [(0, None, 10), (0, Some(10), 10), (1, None, 10), (1, Some(10), 10)];

    fn a_value_is_changed_or_taken by every_search covers ["sync::OnceLock::{get_mut, take, into_inner}"] {
        let lock = OnceLock::new();
        lock.set(1).unwrap();
        let (lock, changed, taken) = contend(
            Mutex::new(lock),
            |lock| {
                let mut lock = lock.lock().unwrap();
                let changed = lock.get_mut().map(|value| {
                    *value += 1;
                    *value
                });
                // Only if it was taken.
                (changed, lock.set(7).is_ok())
            },
            |lock| lock.lock().unwrap().take(),
        );
        (changed, taken, lock.into_inner().unwrap().into_inner())
    }
    within 0 faults gives [((Some(2), false), Some(2), None), ((None, true), Some(1), Some(7))];

    fn a_static_once_lock_is_new_in_each_execution by every_search covers ["sync::OnceLock", "sync::OnceLock::get_or_init"] {
        static LOCK: OnceLock<u32> = OnceLock::new();
        let ((), mine, theirs) =
            contend((), |()| *LOCK.get_or_init(|| 1), |()| *LOCK.get_or_init(|| 2));
        (mine, theirs)
    }
    within 0 faults gives [(1, 1), (2, 2)];

    /// A look does not make it and does not wait; whoever needs it while it is made waits.
    fn a_lazy_value_is_made_once by every_search covers ["sync::LazyLock::{new, force, get, get_mut}"] {
        let calls = Arc::new(AtomicU32::new(0));
        let init = {
            let calls = Arc::clone(&calls);
            move || 10 + calls.fetch_add(1, SeqCst)
        };
        let (mut lazy, mine, theirs) = contend(
            LazyLock::new(init),
            |lazy| (LazyLock::get(lazy).copied(), *LazyLock::force(lazy)),
            |lazy| *LazyLock::force(lazy),
        );
        *LazyLock::get_mut(&mut lazy).unwrap() += 5;
        (mine, theirs, *LazyLock::force(&lazy), calls.load(SeqCst))
    }
    within 0 faults gives [((None, 10), 10, 15, 1), ((Some(10), 10), 10, 15, 1)];

    /// A panic is for all who need it, whoever has met it first; a look finds nothing.
    fn a_lazy_value_that_could_not_be_made_is_none by every_search covers ["sync::LazyLock::{force, force_mut, get}"] {
        let calls = Arc::new(AtomicU32::new(0));
        let init = {
            let calls = Arc::clone(&calls);
            move || -> u32 {
                calls.fetch_add(1, SeqCst);
                panic!("no value")
            }
        };
        let (mut lazy, mine, theirs) = contend(
            LazyLock::new(init),
            |lazy| panics(|| _ = LazyLock::force(lazy)),
            |lazy| (LazyLock::get(lazy).copied(), panics(|| _ = LazyLock::force(lazy))),
        );
        (mine, theirs, panics(|| _ = LazyLock::force_mut(&mut lazy)), calls.load(SeqCst))
    }
    within 0 faults gives [(true, (None, true), true, 1)];

    fn a_lazy_value_is_made_by_whoever_changes_it_first by every_search covers ["sync::LazyLock::force_mut"] {
        fn add_one<F: FnOnce() -> u32>(lazy: &Mutex<LazyLock<u32, F>>) -> u32 {
            let mut lazy = lazy.lock().unwrap();
            let value = LazyLock::force_mut(&mut lazy);
            *value += 1;
            *value
        }
        let calls = Arc::new(AtomicU32::new(0));
        let init = {
            let calls = Arc::clone(&calls);
            move || 10 + calls.fetch_add(1, SeqCst)
        };
        let (_, mine, theirs) = contend(Mutex::new(LazyLock::new(init)), add_one, add_one);
        (mine, theirs, calls.load(SeqCst))
    }
    within 0 faults gives [(11, 12, 1), (12, 11, 1)];

    fn a_lazy_value_is_there_when_another_has_made_it by every_search covers ["sync::LazyLock::{get_mut, force}"] {
        let (_, mine, theirs) = contend(
            Mutex::new(LazyLock::new(|| 10)),
            |lazy| LazyLock::get_mut(&mut lazy.lock().unwrap()).map(|value| std::mem::replace(value, 20)),
            |lazy| *LazyLock::force(&lazy.lock().unwrap()),
        );
        (mine, theirs)
    }
    within 0 faults gives [(None, 10), (Some(10), 10)];

    fn a_static_lazy_value_is_made_anew_in_each_execution by every_search
    covers ["sync::LazyLock", "sync::LazyLock::new"] {
        static COUNT: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(5));
        let ((), mine, theirs) =
            contend((), |()| COUNT.fetch_add(1, SeqCst), |()| COUNT.fetch_add(1, SeqCst));
        (mine, theirs)
    }
    within 0 faults gives [(5, 6), (6, 5)];
}
