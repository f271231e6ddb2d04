//! What destructors do and see when their execution is cut: locks, joins, thread-locals, results that are dropped.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize as StdAtomicUsize, Ordering};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex, mpsc};
use caissa::{Bug, Builder, Error, Misuse, Report, Search, Verdict, thread};

fn explore(builder: Builder, f: impl Fn() + Send + Sync + 'static) -> Report {
    builder.explore(f).unwrap_or_else(|error| panic!("{error}"))
}

struct LocksWhenDropped(Arc<Mutex<u32>>);

impl Drop for LocksWhenDropped {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn destructors_that_lock_are_unwound_when_their_lock_is_free() {
    let report = explore(Builder::new().search(Search::Contexts).bound(5), || {
        let total = Arc::new(Mutex::new(0));
        let task = || {
            let total = Arc::clone(&total);
            thread::spawn(move || {
                let _last = LocksWhenDropped(Arc::clone(&total));
                for _ in 0..2 {
                    *total.lock().unwrap() += 1;
                }
            })
        };
        let tasks = [task(), task(), task()];
        for task in tasks {
            task.join().unwrap();
        }
    });
    let cut: u64 = report.summary.bounds.iter().map(|bound| bound.cut).sum();
    // Had their stacks been abandoned, the check would have ended with an error after a thousand.
    assert!(cut > 5_000, "each of them was unwound: {report}");
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
}

#[test]
fn an_unwound_task_sees_its_own_thread_locals() {
    caissa::thread_local! { static OWN: RefCell<u32> = const { RefCell::new(0) }; }
    struct UsesOwn;
    impl Drop for UsesOwn {
        fn drop(&mut self) {
            OWN.with_borrow_mut(|own| *own += 1);
        }
    }
    let report = explore(Builder::new(), || {
        let (sender, receiver) = mpsc::channel();
        let _task = thread::spawn(move || {
            let _uses = UsesOwn;
            sender.send(()).unwrap();
            thread::park();
        });
        receiver.recv().unwrap();
        OWN.with_borrow_mut(|_| thread::park());
    });
    let bug = report.finding.expect("both are parked").bug;
    assert!(matches!(bug, Bug::Deadlock { .. }), "{bug:?}");
}

#[test]
fn a_destructor_cannot_take_what_a_thread_outside_holds() {
    static HELD: Mutex<u64> = Mutex::new(0);
    struct Takes;
    impl Drop for Takes {
        fn drop(&mut self) {
            *HELD.lock().unwrap() += 1;
        }
    }
    let held = HELD.lock().unwrap();
    let error = Builder::new()
        .explore(|| {
            let _takes = Takes;
            panic!("while it unwinds");
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::HeldOutside { .. })), "{error}");
    assert_eq!(*held, 0);
}

#[test]
fn a_result_may_make_thread_locals_when_it_is_dropped() {
    struct Counts(Arc<AtomicUsize>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    caissa::thread_local! { static KEPT: RefCell<Option<Counts>> = const { RefCell::new(None) }; }
    struct KeepsOne(Arc<AtomicUsize>);
    impl Drop for KeepsOne {
        fn drop(&mut self) {
            let counts = Counts(Arc::clone(&self.0));
            KEPT.with_borrow_mut(|kept| *kept = Some(counts));
        }
    }
    let report = explore(Builder::new(), || {
        let dropped = Arc::new(AtomicUsize::new(0));
        let inside = Arc::clone(&dropped);
        drop(thread::spawn(move || KeepsOne(inside)));
        dropped.load(SeqCst);
    });
    assert!(report.finding.is_none() && report.executions() > 2, "{report}");
}

#[test]
fn a_finding_with_an_abandoned_stack_is_shown_although_it_held_a_static() {
    static HELD: Mutex<u32> = Mutex::new(0);
    let report = explore(Builder::new(), || {
        let other = Arc::new(Mutex::new(0));
        let inside = Arc::clone(&other);
        let _task = thread::spawn(move || {
            let _held = inside.lock().unwrap();
            thread::park();
        });
        let _static = HELD.lock().unwrap();
        let _waits = LocksWhenDropped(Arc::clone(&other));
        assert!(other.try_lock().is_ok(), "the real bug");
        panic!("it fails in any case");
    });
    assert!(report.finding.is_some(), "{report}");
}

#[test]
fn a_scope_whose_owner_holds_a_lock_is_unwound() {
    let report = explore(Builder::new().search(Search::Contexts).bound(5), || {
        let total = Arc::new(Mutex::new(0));
        thread::scope(|scope| {
            let inside = LocksWhenDropped(Arc::clone(&total));
            scope.spawn(move || {
                thread::yield_now();
                drop(inside);
            });
            let _held = total.lock().unwrap();
            thread::yield_now();
        });
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

/// What a scope's tasks borrow outlives them, also when the execution is cut and a destructor of theirs has to wait.
#[test]
fn what_scoped_tasks_borrow_outlives_their_unwinding() {
    struct Borrowed<'a>(&'a StdAtomicUsize);
    impl Drop for Borrowed<'_> {
        fn drop(&mut self) {
            self.0.store(1, Ordering::Relaxed);
        }
    }
    struct LooksWhenDropped<'a>(&'a Borrowed<'a>, &'a Mutex<u32>, &'static StdAtomicUsize);
    impl Drop for LooksWhenDropped<'_> {
        fn drop(&mut self) {
            drop(self.1.lock());
            self.2.fetch_add(self.0.0.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
    static TOO_LATE: StdAtomicUsize = StdAtomicUsize::new(0);
    let report = explore(Builder::new().search(Search::Contexts).bound(3), || {
        let gone = StdAtomicUsize::new(0);
        let total = Mutex::new(0);
        let borrowed = Borrowed(&gone);
        thread::scope(|scope| {
            let looks = LooksWhenDropped(&borrowed, &total, &TOO_LATE);
            scope.spawn(move || {
                thread::yield_now();
                drop(looks);
            });
            // When this one ends while the lock is held, the execution is cut with the other still to be unwound.
            scope.spawn(thread::yield_now);
            let _held = total.lock().unwrap();
            thread::yield_now();
        });
    });
    assert!(report.summary.bounds.iter().any(|bound| bound.cut > 0), "{report}");
    assert_eq!(TOO_LATE.load(Ordering::Relaxed), 0, "a destructor saw what its scope's owner had given up");
}

#[test]
fn a_wait_that_is_cut_at_its_point_leaves_the_mutex_free() {
    let report = explore(Builder::new().search(Search::Contexts).bound(5).faults(0), || {
        let pair = Arc::new((Mutex::new(false), caissa::sync::Condvar::new()));
        let total = Arc::new(Mutex::new(0));
        let inside = Arc::clone(&pair);
        let waiter = thread::spawn(move || {
            let mut ready = inside.0.lock().unwrap();
            while !*ready {
                ready = inside.1.wait(ready).unwrap();
            }
        });
        let _last = LocksWhenDropped(total);
        *pair.0.lock().unwrap() = true;
        pair.1.notify_one();
        waiter.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

/// The usual thread pool: its destructor tells its worker to stop and waits for it.
struct Pool(Option<mpsc::Sender<u32>>, Option<thread::JoinHandle<u32>>);

impl Pool {
    fn new() -> Pool {
        let (sender, receiver) = mpsc::channel();
        Pool(Some(sender), Some(thread::spawn(move || receiver.iter().sum())))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.0.take());
        self.1.take().unwrap().join().unwrap();
    }
}

#[test]
fn destructors_that_join_do_not_end_the_process() {
    let cut = explore(Builder::new().search(Search::Contexts).bound(3), || {
        let pool = Pool::new();
        pool.0.as_ref().unwrap().send(1).unwrap();
    });
    assert_eq!(cut.verdict, Verdict::Bounded, "{cut}");
    let deadlock = explore(Builder::new(), || {
        let _pool = Pool::new();
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let inside = Arc::clone(&locks);
        let _other = thread::spawn(move || {
            let _second = inside.1.lock().unwrap();
            let _first = inside.0.lock().unwrap();
        });
        let _first = locks.0.lock().unwrap();
        let _second = locks.1.lock().unwrap();
    });
    let bug = deadlock.finding.expect("locks in opposite order").bug;
    assert!(matches!(&bug, Bug::Deadlock { cycle, .. } if cycle.len() == 2), "{bug:?}");
}

#[test]
fn too_many_stacks_that_cannot_be_unwound_are_reported() {
    let error = Builder::new()
        .search(Search::Contexts)
        .bound(8)
        .explore(|| {
            let _pool = Pool::new();
            let tasks: Vec<_> = (0..3).map(|_| thread::spawn(thread::yield_now)).collect();
            for task in tasks {
                task.join().unwrap();
            }
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::StacksAbandoned { .. })), "{error}");
    assert!(error.to_string().contains("Let destructors not wait"), "{error}");
}

/// What a task that nobody can join leaves behind is dropped after its last step. If that waits for a lock when the execution ends,
/// the lock is not taken from whoever holds it.
#[test]
fn a_result_that_locks_when_it_is_dropped_does_not_get_in_beside_the_holder() {
    struct Locks(Arc<Mutex<()>>, Arc<std::sync::atomic::AtomicUsize>);
    impl Drop for Locks {
        fn drop(&mut self) {
            let held = self.0.lock();
            self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            drop(held);
        }
    }
    let inside = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let entered = Arc::clone(&inside);
    let report = Builder::new()
        .faults(0)
        .keep_going(true)
        .explore(move || {
            let mutex = Arc::new(Mutex::new(()));
            let held = mutex.lock().unwrap();
            let leaves = Locks(Arc::clone(&mutex), Arc::clone(&entered));
            drop(thread::spawn(move || leaves));
            thread::park();
            drop(held);
        })
        .unwrap();
    assert_eq!(report.finding.expect("nobody unparks the main task").bug.kind(), "deadlock");
    assert_eq!(inside.load(std::sync::atomic::Ordering::SeqCst), 0);
}
