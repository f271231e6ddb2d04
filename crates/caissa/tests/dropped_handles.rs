//! Dropping the handle of a task that was not joined is a step if the result has to be dropped: whoever is last, the owner of
//! the handle or the task, drops it.

use std::collections::BTreeSet;

use crate::support::racing::{Data, is_silent, races};
use crate::support::types_outcomes::{explored, finding, outcomes};
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::thread::ThreadId;
use caissa::{Bug, future, thread};

const NOBODY: usize = 0;
const ITS_TASK: usize = 1;
const THE_OWNER: usize = 2;

/// Tells who drops it.
struct Tells {
    by: Arc<AtomicUsize>,
    owner: ThreadId,
}

impl Tells {
    fn new() -> (Tells, Arc<AtomicUsize>) {
        let by = Arc::new(AtomicUsize::new(NOBODY));
        (Tells { by: Arc::clone(&by), owner: thread::current().id() }, by)
    }
}

impl Drop for Tells {
    fn drop(&mut self) {
        let by = if thread::current().id() == self.owner { THE_OWNER } else { ITS_TASK };
        self.by.store(by, SeqCst);
    }
}

// ---- who drops a result ----

#[test]
fn the_handle_of_a_thread_is_dropped_before_its_end_or_after() {
    let seen = outcomes(|| {
        let (result, by) = Tells::new();
        drop(thread::spawn(move || result));
        by.load(SeqCst)
    });
    assert_eq!(seen, [NOBODY, ITS_TASK, THE_OWNER].into());
}

#[test]
fn the_handle_of_a_scoped_thread_is_dropped_before_its_end_or_after() {
    let seen = outcomes(|| {
        let (result, by) = Tells::new();
        let early = thread::scope(|scope| {
            drop(scope.spawn(move || result));
            by.load(SeqCst)
        });
        (early, by.load(SeqCst))
    });
    let expected = [(NOBODY, ITS_TASK), (ITS_TASK, ITS_TASK), (THE_OWNER, THE_OWNER)];
    assert_eq!(seen, expected.into());
}

#[test]
fn the_handle_of_an_async_task_is_dropped_before_its_end_or_after() {
    let seen = outcomes(|| {
        let (result, by) = Tells::new();
        drop(future::spawn(async move { result }));
        by.load(SeqCst)
    });
    assert_eq!(seen, [NOBODY, ITS_TASK, THE_OWNER].into());
}

#[test]
fn a_handle_that_is_dropped_by_another_task_gives_it_the_result() {
    let seen = outcomes(|| {
        let (result, by) = Tells::new();
        let task = thread::spawn(move || result);
        // Neither the task nor the owner of the handle is the main task.
        thread::spawn(move || drop(task)).join().unwrap();
        by.load(SeqCst)
    });
    assert_eq!(seen, [NOBODY, ITS_TASK].into());
}

// ---- what comes of it ----

/// Whoever holds a lock must not drop a handle whose result takes it.
#[test]
fn a_result_that_locks_is_dropped_under_the_lock() {
    struct Locks(Arc<Mutex<()>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let program = |held_at_drop: bool| {
        move || {
            let mutex = Arc::new(Mutex::new(()));
            let result = Locks(Arc::clone(&mutex));
            let task = thread::spawn(move || result);
            let held = mutex.lock().unwrap();
            if held_at_drop {
                drop(task);
                drop(held);
            } else {
                drop(held);
                drop(task);
            }
        }
    };
    let (found, _) = finding(program(true));
    assert!(matches!(found.bug, Bug::Deadlock { .. }), "{:?}", found.bug);
    outcomes(program(false));
}

/// A destructor comes after what the other owner did before it let go.
#[test]
fn the_last_owner_comes_after_the_other() {
    struct Looks(Arc<Data>);
    impl Drop for Looks {
        fn drop(&mut self) {
            self.0.get();
        }
    }
    let by_task = |asynchronous: bool| {
        move || {
            let data = Arc::new(Data::default());
            let result = Looks(Arc::clone(&data));
            let work = move || {
                result.0.set(1);
                result
            };
            if asynchronous {
                drop(future::spawn(async move { work() }));
            } else {
                drop(thread::spawn(work));
            }
        }
    };
    is_silent(by_task(false));
    is_silent(by_task(true));
    is_silent(|| {
        let data = Arc::new(Data::default());
        let result = Looks(Arc::clone(&data));
        let task = thread::spawn(move || result);
        data.set(1);
        drop(task);
    });
    // What the task does while it runs has no such order.
    races(|| {
        let data = Arc::new(Data::default());
        let result = Looks(Arc::clone(&data));
        let task = thread::spawn(move || {
            result.0.get();
            result
        });
        data.set(1);
        drop(task);
    });
}

// ---- where it is no step ----

#[test]
fn a_handle_whose_result_is_not_dropped_makes_no_step() {
    fn program<T: Send + 'static>(joins: bool, result: fn() -> T) -> (BTreeSet<usize>, u64) {
        let explored = explored(move || {
            let number = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&number);
            let task = thread::spawn(move || {
                other.store(1, SeqCst);
                result()
            });
            if joins {
                task.join().unwrap();
            } else {
                drop(task);
            }
            number.load(SeqCst)
        });
        (explored.outcomes, explored.executions)
    }
    let plain = program(false, || 1);
    let dropped = program(false, || vec![1]);
    assert_eq!((&plain.0, plain.1), (&[0, 1].into(), 6));
    assert_eq!(dropped.0, plain.0);
    assert!(dropped.1 > plain.1, "{dropped:?}");
    assert_eq!(program(true, || vec![1]), program(true, || 1));
}
