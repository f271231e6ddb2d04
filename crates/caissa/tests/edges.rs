//! Edges: executions that are cut, discarded or left; schedulers that misbehave; guards that are kept too long.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize as StdAtomicUsize, Ordering};
use std::time::Duration;

use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex, MutexGuard, RwLock, mpsc};
use caissa::{Builder, Delaying, Error, Misuse, Report, Search, TaskId, TaskSet, Verdict, thread};

fn lost_update() {
    let counter = Arc::new(AtomicUsize::new(0));
    let add = |counter: Arc<AtomicUsize>| {
        thread::spawn(move || {
            let seen = counter.load(SeqCst);
            counter.store(seen + 1, SeqCst);
        })
    };
    let tasks = [add(Arc::clone(&counter)), add(Arc::clone(&counter))];
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(SeqCst), 2);
}

fn explore(builder: Builder, f: impl Fn() + Send + Sync + 'static) -> Report {
    builder.explore(f).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn findings_of_finished_cuts_replay_and_are_not_called_minimal() {
    let mut bugs = 0;
    for search in [Search::Contexts, Search::Depth] {
        for seed in 0..8 {
            let report = explore(Builder::new().search(search).bound(3).finish_cut(seed), lost_update);
            assert_ne!(report.verdict, Verdict::Diverged, "{report}");
            if let Some(finding) = report.finding {
                bugs += 1;
                let replayed = explore(Builder::new().replay(&finding.schedule()), lost_update);
                assert_eq!(replayed.finding.unwrap().bug, finding.bug);
            }
        }
    }
    assert!(bugs > 4, "the walks are random: {bugs} of 16 found it");
}

/// A scheduler that needs several delays to change the task, or never does.
#[derive(Clone)]
struct Stubborn {
    delays_needed: u32,
    delays: u32,
    pending: Vec<TaskId>,
}

impl Stubborn {
    fn new(delays_needed: u32) -> Stubborn {
        Stubborn { delays_needed, delays: 0, pending: Vec::new() }
    }
}

impl Delaying for Stubborn {
    fn reset(&mut self) {
        self.delays = 0;
        self.pending.clear();
    }
    fn give(&mut self, task: TaskId, _fresh: bool) {
        self.pending.push(task);
    }
    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        let last = self.pending.iter().rposition(|&task| enabled.contains(task))?;
        Some(self.pending.remove(last))
    }
    fn delay(&mut self, task: TaskId) {
        self.delays += 1;
        if self.delays.is_multiple_of(self.delays_needed) {
            self.pending.insert(0, task);
        } else {
            self.pending.push(task);
        }
    }
}

#[test]
fn a_scheduler_beyond_the_bound_is_not_verified() {
    let with = |needed| {
        let builder = Builder::new().register_scheduler("stubborn", move || Stubborn::new(needed));
        builder.search(Search::Delays).scheduler("stubborn")
    };
    let report = explore(with(4).bound(2), lost_update);
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
    assert_eq!(explore(with(4).unbounded(), lost_update).verdict, Verdict::Bug);
    let never = explore(with(1_000_000).unbounded(), lost_update);
    assert_eq!(never.verdict, Verdict::Bounded, "tasks that never come up are schedules left out: {never}");
}

#[test]
fn a_scheduler_may_use_our_types_and_its_panic_is_reported() {
    #[derive(Clone)]
    struct Counting(Stubborn, std::sync::Arc<AtomicUsize>, usize);
    impl Delaying for Counting {
        fn reset(&mut self) {
            self.0.reset();
        }
        fn give(&mut self, task: TaskId, fresh: bool) {
            self.0.give(task, fresh);
        }
        fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
            assert!(self.1.fetch_add(1, SeqCst) < self.2, "taken too often");
            self.0.take(enabled)
        }
        fn delay(&mut self, task: TaskId) {
            self.0.delay(task);
        }
    }
    for workers in [1, 2] {
        let with = |limit| {
            let counter = std::sync::Arc::new(AtomicUsize::new(0));
            let make = move || Counting(Stubborn::new(1), std::sync::Arc::clone(&counter), limit);
            Builder::new().register_scheduler("counting", make).search(Search::Delays).scheduler("counting")
        };
        assert_eq!(explore(with(usize::MAX).workers(workers), lost_update).verdict, Verdict::Bug);
        let error = with(100).workers(workers).keep_going(true).explore(lost_update).unwrap_err();
        assert!(matches!(error, Error::Misuse(Misuse::SchedulerPanicked { .. })), "{error}");
        assert!(error.to_string().contains("taken too often"), "{error}");
    }
}

#[test]
fn discarded_executions_keep_the_options_they_met() {
    fn program() {
        let counter = Arc::new(AtomicUsize::new(0));
        let lock = Arc::new(Mutex::new(()));
        let task = || {
            let (counter, lock) = (Arc::clone(&counter), Arc::clone(&lock));
            thread::spawn(move || {
                counter.fetch_add(1, SeqCst);
                let _held = lock.lock().unwrap();
                counter.fetch_add(1, SeqCst);
            })
        };
        let tasks = [task(), task()];
        for task in tasks {
            task.join().unwrap();
        }
    }
    let by = |name| explore(Builder::new().search(Search::Delays).scheduler(name).unbounded(), program);
    let (plain, skipping) = (by("depth-first-plain"), by("depth-first"));
    assert_eq!(plain.executions(), skipping.executions(), "{plain}{skipping}");
    assert_eq!(plain.summary.classes(), skipping.summary.classes());
    assert_eq!((plain.verdict, skipping.verdict), (Verdict::Bounded, Verdict::Verified));
}

#[test]
fn a_panic_before_its_join_is_no_bug_at_the_step_limit() {
    let program = || {
        let flag = Arc::new(AtomicBool::new(false));
        let inside = Arc::clone(&flag);
        let task = thread::spawn(move || {
            inside.load(SeqCst);
            panic!("expected");
        });
        for _ in 0..200 {
            thread::yield_now();
        }
        assert!(task.join().is_err());
    };
    let report = explore(Builder::new().max_steps(100), program);
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
    assert_eq!(explore(Builder::new(), program).finding.map(|finding| finding.bug), None);
}

#[test]
fn minimal_is_claimed_only_if_smaller_bounds_were_followed_to_their_end() {
    // Fails without a preemption after 100 steps, or at once with two.
    let program = || {
        let flag = Arc::new(AtomicBool::new(false));
        let inside = Arc::clone(&flag);
        let task = thread::spawn(move || {
            inside.store(true, SeqCst);
            inside.store(false, SeqCst);
        });
        assert!(!flag.load(SeqCst), "seen");
        for _ in 0..100 {
            thread::yield_now();
        }
        task.join().unwrap();
        panic!("the end");
    };
    let report = explore(Builder::new().max_steps(60).bound(4), program);
    let finding = report.finding.as_ref().expect("two preemptions are enough");
    assert!(!finding.minimal, "{report}");
}

#[test]
fn a_failed_try_write_depends_on_the_readers() {
    let program = |lock: Arc<RwLock<()>>| {
        let inside = Arc::clone(&lock);
        let reader = thread::spawn(move || {
            drop(inside.read());
            drop(inside.read());
        });
        drop(lock.try_write());
        reader.join().unwrap();
    };
    let report = explore(Builder::new().search(Search::Dfs), move || program(Arc::new(RwLock::new(()))));
    assert_eq!(report.summary.classes(), 5, "before, between, after, and in either read: {report}");
}

#[test]
fn nothing_runs_after_main_has_panicked() {
    struct Adds(Arc<AtomicUsize>);
    impl Drop for Adds {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    caissa::thread_local! { static KEPT: RefCell<Option<Adds>> = const { RefCell::new(None) }; }
    let report = explore(Builder::new().search(Search::Dfs).keep_going(true), || {
        let counter = Arc::new(AtomicUsize::new(0));
        let inside = Arc::clone(&counter);
        KEPT.with_borrow_mut(|kept| *kept = Some(Adds(counter)));
        thread::spawn(move || inside.fetch_add(1, SeqCst));
        panic!("main");
    });
    // The spawn and what follows it: the child before the panic or not at all.
    assert_eq!(report.executions(), 1, "{report}");
}

#[test]
fn a_guard_kept_beyond_its_execution_is_noticed() {
    static KEPT: Mutex<u32> = Mutex::new(0);
    std::thread_local! { static GUARD: RefCell<Option<MutexGuard<'static, u32>>> = const { RefCell::new(None) }; }
    let error = Builder::new()
        .explore(|| {
            let guard = KEPT.lock().unwrap();
            GUARD.with_borrow_mut(|kept| *kept = Some(guard));
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::LeftLocked { .. })), "{error}");
    assert!(error.to_string().contains("Drop guards before"), "{error}");
}

#[test]
fn a_reader_may_be_let_go_by_another_task() {
    static LOCK: RwLock<u32> = RwLock::new(0);
    std::thread_local! {
        static GUARD: RefCell<Option<caissa::sync::RwLockReadGuard<'static, u32>>> = const { RefCell::new(None) };
    }
    let report = explore(Builder::new(), || {
        thread::spawn(|| GUARD.set(Some(LOCK.read().unwrap()))).join().unwrap();
        GUARD.take();
        drop(LOCK.write().unwrap());
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn nondeterminism_is_never_called_discarded() {
    let runs = std::sync::Arc::new(StdAtomicUsize::new(0));
    let report = explore(Builder::new().search(Search::Dfs), move || {
        // From its sixth run on the program has fewer tasks.
        let count = if runs.fetch_add(1, Ordering::Relaxed) < 5 { 2 } else { 1 };
        let tasks: Vec<_> = (0..count).map(|_| thread::spawn(thread::yield_now)).collect();
        for task in tasks {
            task.join().unwrap();
        }
    });
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
    let runs = std::sync::Arc::new(StdAtomicUsize::new(0));
    let report = explore(Builder::new(), move || {
        let count = if runs.fetch_add(1, Ordering::Relaxed) < 3 { 4 } else { 2 };
        assert!(caissa::choose(count) < count);
    });
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
}

#[test]
fn channels_and_handles_of_a_running_check_are_not_for_other_threads() {
    let error = Builder::new()
        .explore(|| {
            let (sender, _receiver) = mpsc::channel();
            let _ = std::thread::spawn(move || sender.send(1)).join();
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::UsedFromOutside { .. })), "{error}");
    let error = Builder::new()
        .explore(|| {
            let (sender, _receiver) = mpsc::channel::<u32>();
            let _ = std::thread::spawn(move || drop(sender.clone())).join();
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::UsedFromOutside { .. })), "{error}");
    let error = Builder::new()
        .explore(|| {
            let me = thread::current();
            let _ = std::thread::spawn(move || me.unpark()).join();
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::UsedFromOutside { .. })), "{error}");
}

#[test]
fn a_time_budget_ends_within_a_job() {
    let report = explore(Builder::new().search(Search::Dfs).time(Duration::from_millis(100)), || {
        std::thread::sleep(Duration::from_millis(2));
        let tasks: Vec<_> = (0..4).map(|_| thread::spawn(thread::yield_now)).collect();
        for task in tasks {
            task.join().unwrap();
        }
    });
    assert_eq!((report.verdict, report.summary.stopped), (Verdict::Incomplete, Some(caissa::Stopped::Time)));
    assert!(report.executions() < 4_000, "one job has 4,096 executions, 8 s of them: {report}");
}

#[test]
fn statics_keep_apart_over_many_checks() {
    static LOCK: Mutex<()> = Mutex::new(());
    let check = || {
        explore(Builder::new(), || {
            let other = thread::spawn(|| drop(LOCK.lock()));
            drop(LOCK.lock());
            other.join().unwrap();
        })
    };
    for _ in 0..200 {
        assert_eq!(check().verdict, Verdict::Bounded);
    }
}

#[test]
fn a_schedule_belongs_to_one_check_of_a_test() {
    let passes = || {
        thread::spawn(|| ()).join().unwrap();
    };
    // On a thread of its own, so that its checks are counted from 1.
    let test = std::thread::Builder::new().name("a_test".to_owned()).spawn(move || {
        explore(Builder::new(), passes);
        explore(Builder::new(), lost_update).to_string()
    });
    let text = test.unwrap().join().unwrap();
    let line = text.lines().find(|line| line.starts_with("To replay")).unwrap();
    assert!(line.contains(" CAISSA_CHECK=2 cargo test a_test -- --exact"), "{line}");
}

#[test]
fn a_sender_dropped_on_another_thread_is_reported() {
    let error = Builder::new()
        .explore(|| {
            let (sender, receiver) = mpsc::channel::<u32>();
            std::thread::spawn(move || drop(sender)).join().unwrap();
            let _ = receiver.recv();
        })
        .unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::UsedFromOutside { .. })), "{error}");
}

#[test]
fn a_finding_at_the_step_limit_replays() {
    let program = || {
        let task = thread::spawn(|| panic!("early"));
        for _ in 0..200 {
            thread::yield_now();
        }
        let _ = task.join();
    };
    let builder = || Builder::new().panics_any(true).max_steps(100);
    let finding = explore(builder(), program).finding.expect("any panic counts");
    let replayed = explore(builder().replay(&finding.schedule()), program);
    assert_eq!(replayed.finding.expect("it replays").bug, finding.bug);
}

#[test]
fn a_condition_that_only_looks_changes_nothing() {
    static STATE: Mutex<u32> = Mutex::new(1);
    static CHANGED: caissa::sync::Condvar = caissa::sync::Condvar::new();
    let report = explore(Builder::new(), || {
        let state = CHANGED.wait_while(STATE.lock().unwrap(), |state| *state == 0).unwrap();
        assert_eq!(*state, 1);
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

/// Two tasks spawn; which child gets which number is known only when it is spawned.
#[test]
fn a_spawn_is_shown_with_the_task_that_it_made() {
    let report = explore(Builder::new().search(Search::Dfs).keep_going(true), || {
        let parent = || {
            thread::spawn(|| {
                let child = thread::spawn(thread::yield_now);
                assert_eq!(child.thread().id(), child.thread().id());
                child.join().unwrap();
            })
        };
        let parents = [parent(), parent()];
        for parent in parents {
            parent.join().unwrap();
        }
        panic!("look at the trace");
    });
    // The minimised finding may spawn in order; any replayed schedule must be told right, so force the other order.
    let late = explore(Builder::new().preemptions(1), || {
        let first = thread::spawn(|| {
            thread::yield_now();
            thread::spawn(|| ()).join().unwrap();
        });
        let second = thread::spawn(|| thread::spawn(|| panic!("from the second")).join().unwrap());
        let _ = second.join();
        first.join().unwrap();
        panic!("from the second");
    });
    for report in [report, late] {
        let trace = &report.finding.as_ref().unwrap().trace;
        let spawned: Vec<_> =
            trace.events.iter().filter(|event| event.op.kind == caissa::OpKind::Spawn).collect();
        for (number, event) in spawned.iter().enumerate() {
            assert_eq!(event.note, caissa::Note::Spawned(TaskId(number as u32 + 1)), "{report}");
        }
    }
}
