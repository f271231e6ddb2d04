//! `sync::Once`, `OnceLock` and `LazyLock`: as std's outside a check; inside, every order of those who come to do it is explored,
//! and a static is made anew in each execution.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::sync::atomic::{AtomicU32, Ordering::SeqCst};
use caissa::sync::{Arc, LazyLock, Mutex, Once, OnceLock, mpsc};
use caissa::{Builder, Search, Verdict, thread};

fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    values.into_iter().collect()
}

// ---- the same as std ----

like_std! { a_once_is_done_once -> (u32, bool, bool) {
    let once = sync::Once::new();
    let before = once.is_completed();
    let mut calls = 0;
    once.call_once(|| calls += 1);
    once.call_once(|| calls += 1);
    once.call_once_force(|_| calls += 1);
    once.wait();
    once.wait_force();
    (calls, before, once.is_completed())
} }

like_std! { a_panic_poisons_a_once -> (bool, bool, bool, bool, bool) {
    let once = sync::Once::new();
    let caught = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    let first = caught(&|| once.call_once(|| panic!("while it is done")));
    let second = caught(&|| once.call_once(|| {}));
    let waits = caught(&|| once.wait());
    let mut was_poisoned = false;
    once.call_once_force(|state| was_poisoned = state.is_poisoned());
    once.call_once(|| {});
    (first, second, waits, was_poisoned, once.is_completed())
} }

like_std! { what_a_once_says -> Vec<String> {
    let once = sync::Once::new();
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| once.call_once(|| panic!("no"))));
    let poisoned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| once.call_once(|| {})));
    let text = |result: Result<(), Box<dyn std::any::Any + Send>>| {
        let payload = result.unwrap_err();
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        text.or(payload.downcast_ref::<String>().cloned()).unwrap()
    };
    let mut state = String::new();
    once.call_once_force(|s| state = format!("{s:?}").contains("true").to_string());
    vec![text(failed), text(poisoned), format!("{once:?}"), state]
} }

like_std! { a_once_lock_keeps_its_first_value -> (Vec<Option<u32>>, Vec<bool>, Vec<u32>) {
    let mut lock = sync::OnceLock::new();
    let before = lock.get().copied();
    let (first, second) = (lock.set(1), lock.set(2));
    let value = *lock.get_or_init(|| 3);
    *lock.get_mut().unwrap() += 10;
    let waited = *lock.wait();
    let taken = lock.take();
    let again = lock.take();
    let made = *lock.get_or_init(|| 4);
    (vec![before, taken, again, lock.into_inner()], vec![first == Ok(()), second == Err(2)], vec![value, waited, made])
} }

like_std! { a_panic_leaves_a_once_lock_empty -> (bool, Option<u32>, u32) {
    let lock = sync::OnceLock::new();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| *lock.get_or_init(|| panic!("no value"))));
    (panicked.is_err(), lock.get().copied(), *lock.get_or_init(|| 5))
} }

like_std! { once_locks_compare_clone_and_show_their_values -> (bool, bool, Vec<String>) {
    let (set, unset) = (sync::OnceLock::from(7), sync::OnceLock::<u32>::default());
    let copy = set.clone();
    let shown = vec![format!("{set:?}"), format!("{unset:?}"), format!("{:?}", unset.clone())];
    (copy == set, set == unset, shown)
} }

like_std! { a_lazy_lock_is_made_at_its_first_use -> (Vec<u32>, Vec<String>) {
    let calls = std::cell::Cell::new(0);
    let lazy = sync::LazyLock::new(|| {
        calls.set(calls.get() + 1);
        calls.get() * 10
    });
    let shown = format!("{lazy:?}");
    let before = calls.get();
    let values = vec![before, *lazy, *sync::LazyLock::force(&lazy), calls.get()];
    let shown = vec![shown, format!("{lazy:?}")];
    (values, shown)
} }

like_std! { a_lazy_lock_that_nobody_else_has -> (Option<u32>, u32, Option<u32>, Option<u32>) {
    let mut lazy: sync::LazyLock<u32> = sync::LazyLock::new(|| 5);
    let before = sync::LazyLock::get(&lazy).copied();
    *sync::LazyLock::force_mut(&mut lazy) += 1;
    *lazy += 1;
    let mut other = sync::LazyLock::<u32>::default();
    let unmade = sync::LazyLock::get_mut(&mut other).copied();
    (before, *lazy, sync::LazyLock::get_mut(&mut lazy).copied(), unmade)
} }

like_std! { a_panic_poisons_a_lazy_lock -> (bool, bool, bool) {
    let lazy: sync::LazyLock<u32> = sync::LazyLock::new(|| panic!("no value"));
    let force = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| *lazy)).is_err();
    (force(), force(), sync::LazyLock::get(&lazy).is_none())
} }

like_std! { the_value_of_a_once_lock_goes_with_it -> (usize, usize, usize) {
    let value = sync::Arc::new(());
    let lock = sync::OnceLock::new();
    let lazy = sync::LazyLock::new({
        let value = sync::Arc::clone(&value);
        move || value
    });
    lock.set(sync::Arc::clone(&value)).unwrap();
    sync::LazyLock::force(&lazy);
    let all = sync::Arc::strong_count(&value);
    let boxed = Box::new(lock);
    assert!(boxed.get().is_some(), "it may move");
    drop(boxed);
    let one = sync::Arc::strong_count(&value);
    drop(lazy);
    (all, one, sync::Arc::strong_count(&value))
} }

#[allow(deprecated)]
mod old_names {
    like_std! { a_new_once_by_its_constant -> (bool, bool) {
        let once = sync::ONCE_INIT;
        let before = once.is_completed();
        once.call_once(|| {});
        (before, once.is_completed())
    } }
}

// ---- contention ----

#[test]
fn of_two_tasks_one_does_it_and_the_other_waits_for_it() {
    let seen = outcomes(|| {
        let (once, log) = (Arc::new(Once::new()), Arc::new(Mutex::new(Vec::new())));
        let run = |name: u32| {
            let (once, log) = (Arc::clone(&once), Arc::clone(&log));
            move || {
                once.call_once(|| log.lock().unwrap().push(name));
                // Whoever gets here sees that it has been done.
                assert!(once.is_completed() && log.lock().unwrap().len() == 1);
            }
        };
        let other = thread::spawn(run(1));
        run(0)();
        other.join().unwrap();
        log.lock().unwrap().clone()
    });
    assert_eq!(seen, set([vec![0], vec![1]]));
}

#[test]
fn others_see_it_done_only_when_it_is() {
    let seen = outcomes(|| {
        let (once, number) = (Arc::new(Once::new()), Arc::new(AtomicU32::new(0)));
        let other = {
            let (once, number) = (Arc::clone(&once), Arc::clone(&number));
            thread::spawn(move || once.call_once(|| number.store(1, SeqCst)))
        };
        let seen = (once.is_completed(), number.load(SeqCst));
        other.join().unwrap();
        seen
    });
    assert_eq!(seen, set([(false, 0), (false, 1), (true, 1)]));
}

#[test]
fn waiting_for_a_once() {
    let seen = outcomes(|| {
        let (once, number) = (Arc::new(Once::new()), Arc::new(AtomicU32::new(0)));
        let other = {
            let (once, number) = (Arc::clone(&once), Arc::clone(&number));
            thread::spawn(move || once.call_once(|| number.store(1, SeqCst)))
        };
        once.wait();
        let seen = number.load(SeqCst);
        other.join().unwrap();
        seen
    });
    assert_eq!(seen, set([1]));
}

/// A wait goes by what it finds when it goes on: poisoned, or done by the next task.
#[test]
fn waiting_for_a_once_that_fails_first() {
    let seen = outcomes(|| {
        let once = Arc::new(Once::new());
        let fails = {
            let once = Arc::clone(&once);
            thread::spawn(move || once.call_once(|| panic!("it fails")))
        };
        let repairs = {
            let once = Arc::clone(&once);
            thread::spawn(move || once.call_once_force(|_| {}))
        };
        let waited = catch_unwind(AssertUnwindSafe(|| once.wait())).is_ok();
        once.wait_force();
        let failed = fails.join().is_err();
        repairs.join().unwrap();
        (waited, failed, once.is_completed())
    });
    // If the repair comes first nothing fails.
    assert_eq!(seen, set([(true, false, true), (true, true, true), (false, true, true)]));
}

#[test]
fn of_two_values_the_first_one_stays() {
    let seen = outcomes(|| {
        let lock = Arc::new(OnceLock::new());
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || lock.set(1).is_ok())
        };
        let before = lock.get().copied();
        let mine = *lock.get_or_init(|| 2);
        (before, mine, other.join().unwrap(), *lock.wait())
    });
    assert_eq!(seen, set([(None, 1, true, 1), (None, 2, false, 2), (Some(1), 1, true, 1)]));
}

/// A value is there when it is made, not when somebody has begun to make it.
#[test]
fn a_value_that_is_being_made() {
    let seen = outcomes(|| {
        let (lock, begun) = (Arc::new(OnceLock::new()), Arc::new(AtomicU32::new(0)));
        let other = {
            let (lock, begun) = (Arc::clone(&lock), Arc::clone(&begun));
            thread::spawn(move || {
                lock.get_or_init(|| {
                    begun.store(1, SeqCst);
                    7
                });
            })
        };
        let begun = begun.load(SeqCst);
        let value = lock.get().copied();
        let waited = *lock.wait();
        other.join().unwrap();
        (begun, value, waited)
    });
    assert_eq!(seen, set([(0, None, 7), (0, Some(7), 7), (1, None, 7), (1, Some(7), 7)]));
}

#[test]
fn a_lazy_value_is_made_by_whoever_comes_first() {
    let explored = explored(|| {
        let made = Arc::new(AtomicU32::new(0));
        let lazy = {
            let made = Arc::clone(&made);
            Arc::new(LazyLock::new(move || made.fetch_add(1, SeqCst)))
        };
        let other = {
            let lazy = Arc::clone(&lazy);
            thread::spawn(move || **lazy)
        };
        let looked = LazyLock::get(&*lazy).is_some();
        let values = (**lazy, other.join().unwrap());
        assert_eq!((values, made.load(SeqCst)), ((0, 0), 1));
        looked
    });
    assert_eq!(explored.outcomes, set([false, true]));
}

// ---- statics ----

static STARTED: Once = Once::new();
static NAMES: OnceLock<Mutex<Vec<u32>>> = OnceLock::new();
static TABLE: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(vec![1]));

/// Statics as a library has them: every execution finds them as if it were the first.
fn uses_statics() -> (bool, Vec<u32>, Vec<u32>) {
    let first = !STARTED.is_completed();
    STARTED.call_once(|| {});
    let tasks = [2, 3].map(|name| {
        thread::spawn(move || {
            NAMES.get_or_init(Mutex::default).lock().unwrap().push(name);
            TABLE.lock().unwrap().push(name);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
    (first, NAMES.wait().lock().unwrap().clone(), TABLE.lock().unwrap().clone())
}

#[test]
fn statics_are_made_anew_in_each_execution() {
    let report = Builder::new().explore(|| {
        let (first, names, table) = uses_statics();
        assert!(first && names.len() == 2 && table.len() == 3 && table[0] == 1, "{names:?} {table:?}");
    });
    let report = report.unwrap();
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
    assert!(report.executions() > 100, "{report}");
}

/// Two checks at a time, each on two threads, and threads outside: nobody sees what others made of a static.
#[test]
fn statics_of_several_checks_at_a_time() {
    static SHARED: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(Vec::new()));
    static ONCE: Once = Once::new();
    static LOCK: OnceLock<u32> = OnceLock::new();
    let uses = |name: u32| {
        let other = thread::spawn(move || {
            ONCE.call_once(|| {});
            SHARED.lock().unwrap().push(name);
        });
        SHARED.lock().unwrap().push(name);
        LOCK.get_or_init(|| name);
        other.join().unwrap();
        assert!(ONCE.is_completed() && LOCK.get() == Some(&name));
        assert_eq!(*SHARED.lock().unwrap(), [name, name]);
    };
    std::thread::scope(|scope| {
        for name in [1, 2] {
            scope.spawn(move || Builder::new().bound(3).workers(2).check(move || uses(name)));
        }
    });
    assert!(LOCK.get().is_none() && !ONCE.is_completed(), "outside nothing has happened");
    uses(3);
    assert_eq!(LOCK.get(), Some(&3));
}

/// What was done outside before counts for a once, as for anything that the closure captures; a lazy value is made anew.
#[test]
fn what_was_made_outside() {
    let (once, lock) = (Arc::new(Once::new()), Arc::new(OnceLock::from(5)));
    once.call_once(|| {});
    static LAZY: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(1));
    assert_eq!(LAZY.fetch_add(1, SeqCst), 1);
    let seen = outcomes(move || {
        once.call_once(|| unreachable!("it has been done"));
        (lock.get().copied(), lock.set(6), LAZY.fetch_add(1, SeqCst))
    });
    assert_eq!(seen, set([(Some(5), Err(6), 1)]));
    assert_eq!(LAZY.load(SeqCst), 2);
}

/// Each execution destroys what its statics held, in the end: a million executions leave nothing behind.
#[test]
fn what_statics_held_is_destroyed() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    struct Counted(#[allow(dead_code, reason = "its destructor hangs up")] mpsc::Sender<u32>, Mutex<()>);
    impl Drop for Counted {
        fn drop(&mut self) {
            // Not part of any execution, and no mistake.
            drop(self.1.lock());
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    static HELD: LazyLock<Counted> = LazyLock::new(|| {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Counted(mpsc::channel().0, Mutex::new(()))
    });
    let report = Builder::new().search(Search::Dfs).explore(|| {
        let other = thread::spawn(|| drop(HELD.1.lock().unwrap()));
        drop(HELD.1.lock().unwrap());
        other.join().unwrap();
    });
    let report = report.unwrap();
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    assert!(report.executions() > 10, "{report}");
    assert_eq!(ALIVE.load(Ordering::Relaxed), 1, "that of the last execution");
}

/// A closure can be called once only, so its value cannot be made anew.
#[test]
fn a_lazy_lock_with_a_closure_that_outlives_an_execution_is_refused() {
    let text = "value".to_owned();
    let lazy = Arc::new(LazyLock::new(move || text));
    let error = Builder::new().explore(move || assert_eq!(**lazy, "value")).unwrap_err();
    assert_says(&error.to_string(), &["once.rs", "outlives an execution", "inside the closure"]);
}

// ---- findings ----

#[test]
fn a_once_that_waits_for_itself_is_a_deadlock() {
    let (found, text) = finding(|| {
        let once = Arc::new(Once::new());
        once.call_once(|| once.call_once(|| {}));
    });
    assert_eq!(found.bug.kind(), "deadlock");
    assert_says(
        &text,
        &["waits for itself", "waits for once#0 to be done", "which it does itself", "call_once once#0"],
    );
}

#[test]
fn two_lazy_values_that_need_each_other_are_a_deadlock() {
    let (found, text) = finding(|| {
        static A: LazyLock<u32> = LazyLock::new(|| *B + 1);
        static B: LazyLock<u32> = LazyLock::new(|| *A + 1);
        let other = thread::spawn(|| *B);
        let _ = (*A, other.join());
    });
    assert_eq!(found.bug.kind(), "deadlock");
    assert_says(&text, &["force once#", "has begun"]);
}

/// Checking and setting in two steps loses a value; `get_or_init` does not.
#[test]
fn a_value_that_is_set_twice_is_found() {
    let publish = |both: bool| {
        move || {
            let lock = Arc::new(OnceLock::new());
            let set = move |value: u32, lock: Arc<OnceLock<u32>>| {
                if both {
                    lock.get_or_init(|| value);
                } else if lock.get().is_none() {
                    lock.set(value).expect("it was not set");
                }
            };
            let other = {
                let lock = Arc::clone(&lock);
                thread::spawn(move || set(1, lock))
            };
            set(2, lock);
            other.join().unwrap();
        }
    };
    let (found, text) = finding(publish(false));
    assert_eq!(found.preemptions, 1, "{text}");
    assert_says(&text, &["it was not set", "get once#0 = false", "get_or_init once#0"]);
    Builder::new().search(Search::Dfs).check(publish(true));
}
