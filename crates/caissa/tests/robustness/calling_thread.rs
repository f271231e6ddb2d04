//! A check runs on the thread that calls it. What it finds there, what it leaves there, and who watches meanwhile.

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex as StdMutex;
use std::thread::{ThreadId, current};
use std::time::Duration;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Delaying, EXIT_STACK_OVERFLOW, EXIT_STUCK, Search, TaskId, TaskSet, Verdict, thread};

use crate::robustness::OnDrop;
use crate::support::child;

/// Joins its tasks when it is dropped, as pools do.
struct Pool(Vec<thread::JoinHandle<()>>);

impl Drop for Pool {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|task| task.join().unwrap());
    }
}

/// Each execution is cut, and the pool then waits for what will not come: its stack has to be abandoned.
fn is_cut() {
    let turns = Arc::new(AtomicUsize::new(0));
    let inside = Arc::clone(&turns);
    let _pool = Pool(vec![thread::spawn(move || while inside.fetch_add(1, SeqCst) < 1_000 {})]);
    while turns.load(SeqCst) < 1_000 {
        thread::yield_now();
    }
}

fn cuts() -> Builder {
    Builder::new().search(Search::Random).max_steps(20).max_executions(30)
}

/// The threads on which a search runs its executions.
fn threads_of(builder: Builder, body: impl Fn() + Send + Sync + 'static) -> HashSet<ThreadId> {
    let threads = Arc::new(StdMutex::new(HashSet::new()));
    let seen = Arc::clone(&threads);
    let explored = builder.explore(move || {
        seen.lock().unwrap().insert(current().id());
        body();
    });
    assert!(explored.is_ok_and(|report| report.verdict != Verdict::Diverged));
    std::mem::take(&mut *threads.lock().unwrap())
}

#[test]
fn one_worker_is_the_calling_thread_and_more_are_others() {
    let here = || HashSet::from([current().id()]);
    assert_eq!(threads_of(Builder::new(), || {}), here());
    assert!(threads_of(Builder::new().workers(2), || {}).is_disjoint(&here()));
    let unwinding = AssertUnwindSafe(|| {
        let _checks = OnDrop(|| assert!(threads_of(Builder::new(), || {}).is_disjoint(&here())));
        resume_unwind(Box::new("a check can be made while its thread unwinds"));
    });
    catch_unwind(unwinding).unwrap_err();
    // Who had to abandon a stack is not used on.
    let threads = threads_of(cuts(), is_cut);
    assert!(threads.is_superset(&here()) && threads.len() > 20, "{threads:?}");
    assert_eq!(threads_of(Builder::new(), || {}), here());
}

/// Destructors would spare their assertions, and locks would not be poisoned any more.
#[test]
fn a_thread_whose_check_has_abandoned_stacks_is_not_panicking() {
    cuts().explore(is_cut).unwrap();
    assert!(!std::thread::panicking());
    // Here a task waits while it unwinds by a panic of its own.
    let report = Builder::new().explore(|| {
        let _pool = Pool(vec![thread::spawn(thread::park)]);
        panic!("no task will be unparked");
    });
    assert_eq!(report.unwrap().verdict, Verdict::Bug);
    assert!(!std::thread::panicking());

    let lock = StdMutex::new(());
    let poisons = AssertUnwindSafe(|| {
        let _held = lock.lock();
        resume_unwind(Box::new("as ever"));
    });
    catch_unwind(poisons).unwrap_err();
    assert!(lock.is_poisoned());
}

#[test]
fn what_an_abandoned_stack_leaves_in_thread_locals_is_not_seen_by_other_executions() {
    thread_local! {
        static ENTERED: Cell<bool> = const { Cell::new(false) };
    }
    let report = cuts().explore(|| {
        assert!(!ENTERED.replace(true), "entered twice");
        let _leaves = OnDrop(|| ENTERED.set(false));
        is_cut();
    });
    let report = report.unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Incomplete, 30), "{report}");
}

#[test]
fn all_workers_find_the_same_in_thread_locals() {
    thread_local! {
        static CONFIGURED: Cell<usize> = const { Cell::new(1) };
    }
    CONFIGURED.set(3);
    for (workers, expected) in [(1, 3), (2, 1)] {
        let report = Builder::new().workers(workers).explore(move || {
            let times = CONFIGURED.get();
            let turns = Arc::new(AtomicUsize::new(0));
            let inside = Arc::clone(&turns);
            let other = thread::spawn(move || (0..times).for_each(|_| _ = inside.fetch_add(1, SeqCst)));
            turns.load(SeqCst);
            other.join().unwrap();
            assert_ne!(turns.load(SeqCst), expected);
        });
        // Found by a search, confirmed and made small by replays.
        let report = report.unwrap();
        assert_eq!(report.verdict, Verdict::Bug, "{workers} workers: {report}");
    }
}

#[test]
fn a_caller_that_has_locked_standard_error_is_looked_after() {
    let ended = child::run(
        "robustness::calling_thread::a_caller_that_has_locked_standard_error_is_looked_after",
        &[],
        || {
            let locked = std::io::stderr().lock();
            let search = Builder::new().search(Search::Random).max_executions(u64::MAX);
            let search = search.progress(Duration::from_millis(50)).time(Duration::from_millis(300));
            let report = search.explore(thread::yield_now).unwrap();
            drop(locked);
            println!("it ended: {}", report.executions() > 100);
        },
    );
    ended.expect(0, &["it ended: true"]);
}

#[test]
fn a_stuck_task_that_has_locked_standard_error_is_reported() {
    let name = "robustness::calling_thread::a_stuck_task_that_has_locked_standard_error_is_reported";
    let ended = child::run(name, &[("CAISSA_WATCHDOG", "0.5"), ("CAISSA_PROGRESS", "0.05")], || {
        caissa::check(|| {
            let _locked = std::io::stderr().lock();
            std::thread::sleep(Duration::from_secs(60));
        });
    });
    ended.expect(EXIT_STUCK, &["has not come back to a scheduling point"]);
}

/// Overflows find a stack for the handler also on a thread that Rust did not start.
#[test]
fn an_overflow_on_a_foreign_thread_is_reported() {
    extern "C" fn run(_: *mut libc::c_void) -> *mut libc::c_void {
        fn deep(n: u64) -> u64 {
            let frame = std::hint::black_box([n; 64]);
            if n == u64::MAX { 0 } else { deep(n + 1) + frame[3] }
        }
        caissa::check(|| {
            thread::yield_now();
            deep(0);
        });
        std::ptr::null_mut()
    }
    let ended =
        child::run("robustness::calling_thread::an_overflow_on_a_foreign_thread_is_reported", &[], || {
            let mut thread = 0;
            // SAFETY: the function takes nothing, and the thread is waited for.
            unsafe {
                libc::pthread_create(&mut thread, std::ptr::null(), run, std::ptr::null_mut());
                libc::pthread_join(thread, std::ptr::null_mut());
            }
        });
    ended.expect(EXIT_STACK_OVERFLOW, &["has overflowed its stack"]);
}

/// Runs the youngest task; makes a check of its own the first time it is used.
#[derive(Clone, Default)]
struct Checks {
    tasks: Vec<TaskId>,
}

impl Delaying for Checks {
    fn reset(&mut self) {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| Builder::new().check(|| {}));
        self.tasks.clear();
    }

    fn give(&mut self, task: TaskId, _fresh: bool) {
        self.tasks.push(task);
    }

    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        let at = self.tasks.iter().rposition(|&task| enabled.contains(task))?;
        Some(self.tasks.remove(at))
    }

    fn delay(&mut self, task: TaskId) {
        self.tasks.insert(0, task);
    }
}

#[test]
fn a_check_is_watched_on_after_another_one_inside_its_scheduler() {
    let name = "robustness::calling_thread::a_check_is_watched_on_after_another_one_inside_its_scheduler";
    let ended = child::run(name, &[("CAISSA_WATCHDOG", "0.3")], || {
        let search = Builder::new().search(Search::Delays).scheduler("checks");
        search.register_scheduler("checks", Checks::default).check(|| {
            thread::yield_now();
            std::thread::sleep(Duration::from_secs(60));
        });
    });
    ended.expect(EXIT_STUCK, &["has not come back to a scheduling point"]);
}
