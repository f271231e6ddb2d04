//! Executions that are aborted: nothing swallows the abort, destructors run, and the search goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Bug, Builder, Report, Search, TaskId, Verdict, thread};

use crate::robustness::OnDrop;
use crate::support::child;

/// The tasks that are blocked in the deadlock that was found.
#[track_caller]
fn deadlocked(report: &Report) -> Vec<TaskId> {
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    match &report.finding.as_ref().expect("a bug has a finding").bug {
        Bug::Deadlock { blocked, .. } => blocked.iter().map(|blocked| blocked.task).collect(),
        other => panic!("not a deadlock: {other:?}"),
    }
}

/// A task that calls `block` again and again, catching whatever comes out of it, `times` times.
fn swallows(times: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let lock = Arc::new(Mutex::new(0));
        let _held = lock.lock().unwrap();
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                for _ in 0..times {
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(lock.lock())));
                }
            })
        };
        other.join().unwrap();
    }
}

#[test]
fn a_task_that_catches_everything_a_few_times_cannot_swallow_an_abort() {
    let report = Builder::new().explore(swallows(10)).unwrap();
    assert_eq!(deadlocked(&report), [TaskId(0), TaskId(1)]);
}

#[test]
fn a_task_that_catches_everything_for_ever_cannot_swallow_an_abort() {
    let name = "robustness::unwinding::a_task_that_catches_everything_for_ever_cannot_swallow_an_abort";
    let ended = child::run(name, &[("CAISSA_WATCHDOG", "5")], || {
        let report = Builder::new().explore(swallows(usize::MAX)).unwrap();
        assert_eq!(deadlocked(&report), [TaskId(0), TaskId(1)]);
        println!("found");
    });
    ended.expect(0, &["found"]);
}

#[test]
fn an_abort_is_not_swallowed_after_a_destructor_blocked_either() {
    let name = "robustness::unwinding::an_abort_is_not_swallowed_after_a_destructor_blocked_either";
    let ended = child::run(name, &[("CAISSA_WATCHDOG", "5")], || {
        let report = Builder::new()
            .preemptions(0)
            .max_steps(50)
            .explore(|| {
                let lock = Arc::new(Mutex::new(0));
                let _held = lock.lock().unwrap();
                let free = Arc::new(Mutex::new(0));
                thread::spawn(move || {
                    loop {
                        let _ = catch_unwind(AssertUnwindSafe(|| drop(free.lock())));
                    }
                });
                {
                    let lock = Arc::clone(&lock);
                    thread::spawn(move || {
                        let _guard = OnDrop(|| drop(lock.lock()));
                        thread::park();
                    });
                }
                thread::park();
            })
            .unwrap();
        assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
        println!("to the end");
    });
    ended.expect(0, &["to the end"]);
}

/// Two tasks that take two mutexes in opposite order, and then one of them once more: at their ends, or in destructors,
/// which then also run when the execution is aborted.
fn opposite_order(in_destructors: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let tasks: Vec<_> = [(&a, &b), (&b, &a)]
            .map(|(first, second)| {
                let (first, second) = (Arc::clone(first), Arc::clone(second));
                thread::spawn(move || {
                    let again = OnDrop(|| drop(second.lock().unwrap()));
                    let held = first.lock().unwrap();
                    drop(second.lock().unwrap());
                    drop(held);
                    if in_destructors {
                        drop(again);
                    } else {
                        std::mem::forget(again);
                        drop(second.lock().unwrap());
                    }
                })
            })
            .into();
        tasks.into_iter().for_each(|task| task.join().unwrap());
    }
}

#[test]
fn a_destructor_that_blocks_while_an_execution_is_aborted_does_not_hide_the_deadlock() {
    let report = Builder::new().explore(opposite_order(true)).unwrap();
    assert_eq!(deadlocked(&report), [TaskId(0), TaskId(1), TaskId(2)]);
    let text = report.to_string();
    for words in ["deadlock: tasks T1 and T2 wait for each other", "held by task T1", "held by task T2"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_destructor_that_waits_in_a_loop_ends_its_execution() {
    let name = "robustness::unwinding::a_destructor_that_waits_in_a_loop_ends_its_execution";
    let ended = child::run(name, &[("CAISSA_WATCHDOG", "5")], || {
        caissa::check(|| {
            let done = Arc::new(AtomicUsize::new(0));
            let task = Arc::clone(&done);
            thread::spawn(move || task.store(1, SeqCst));
            let _guard = OnDrop(|| {
                while done.load(SeqCst) == 0 {
                    thread::yield_now();
                }
            });
            panic!("boom");
        });
    });
    ended.expect(101, &["caissa found a bug: task T0 (main) panicked", "boom"]);
}

#[test]
fn the_search_goes_on_after_destructors_that_blocked() {
    let count = |in_destructors| {
        let builder = Builder::new().keep_going(true);
        let report = builder.explore(opposite_order(in_destructors)).unwrap();
        assert_eq!(report.verdict, Verdict::Bug, "{report}");
        report.summary.bounds
    };
    assert_eq!(count(true), count(false));
    assert!(count(true).len() == 3, "all three bounds were explored");
}

#[test]
fn the_search_goes_on_after_executions_cut_where_destructors_blocked() {
    let count = |in_destructors: bool, search: Search, bound| {
        let report = Builder::new()
            .search(search)
            .bound(bound)
            .explore(move || {
                let lock = Arc::new(Mutex::new(0));
                let tasks: Vec<_> = (0..2)
                    .map(|_| {
                        let lock = Arc::clone(&lock);
                        thread::spawn(move || {
                            let again = OnDrop(|| drop(lock.lock().unwrap()));
                            drop(lock.lock().unwrap());
                            if in_destructors {
                                drop(again);
                            } else {
                                std::mem::forget(again);
                                drop(lock.lock().unwrap());
                            }
                        })
                    })
                    .collect();
                tasks.into_iter().for_each(|task| task.join().unwrap());
            })
            .unwrap();
        assert_eq!((report.verdict, report.bound()), (Verdict::Bounded, Some(bound)), "{report}");
        assert!(report.summary.bounds.iter().any(|bound| bound.cut > 0), "{report}");
        report.summary.bounds
    };
    for (search, bound) in [(Search::Contexts, 3), (Search::Depth, 5)] {
        assert_eq!(count(true, search, bound), count(false, search, bound), "{search:?}");
    }
}

#[test]
fn destructors_that_unwrap_a_lock_do_not_panic_while_an_execution_is_aborted() {
    let name =
        "robustness::unwinding::destructors_that_unwrap_a_lock_do_not_panic_while_an_execution_is_aborted";
    let ended = child::run(name, &[], || {
        let report = Builder::new()
            .explore(|| {
                // One mutex is held when the execution is aborted, the other was poisoned by a real panic before.
                let (held, poisoned) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
                let spoiler = Arc::clone(&poisoned);
                let panicked = thread::spawn(move || {
                    let _held = spoiler.lock().unwrap();
                    panic!("boom");
                });
                assert!(panicked.join().is_err());
                assert!(poisoned.is_poisoned());
                thread::spawn(move || {
                    let _last = OnDrop(|| *poisoned.lock().unwrap() += 1);
                    let _first = OnDrop(|| *held.lock().unwrap() += 1);
                    let _held = held.lock().unwrap();
                    thread::park();
                })
                .join()
                .unwrap();
            })
            .unwrap();
        assert_eq!(deadlocked(&report), [TaskId(0), TaskId(2)]);
        println!("found");
    });
    ended.expect(0, &["found"]);
}

/// What destructors did, in order; std's types, since it is looked at from outside the check.
type Log = std::sync::Arc<std::sync::Mutex<Vec<&'static str>>>;

fn note(log: &Log, what: &'static str) {
    log.lock().unwrap().push(what);
}

#[test]
fn scoped_tasks_are_unwound_before_what_they_borrow() {
    let log = Log::default();
    let written = Log::clone(&log);
    let report = Builder::new()
        .explore(move || {
            written.lock().unwrap().clear();
            let value = String::from("alive");
            let _value = OnDrop(|| note(&written, "value"));
            thread::scope(|outer| {
                let _body = OnDrop(|| note(&written, "body of the scope"));
                outer.spawn(|| {
                    let own = value.clone();
                    let _own = OnDrop(|| note(&written, "task"));
                    thread::scope(|inner| {
                        inner.spawn(|| {
                            let _borrowed = OnDrop(|| {
                                assert_eq!((own.as_str(), value.as_str()), ("alive", "alive"));
                                note(&written, "task in the task");
                            });
                            thread::park();
                        });
                        thread::park();
                    });
                });
                thread::park();
            });
        })
        .unwrap();
    assert_eq!(deadlocked(&report).len(), 3);
    assert_eq!(*log.lock().unwrap(), ["task in the task", "task", "body of the scope", "value"]);
}

#[test]
fn tasks_that_swallow_an_abort_in_a_scope_do_not_outlive_what_they_borrow() {
    let log = Log::default();
    let written = Log::clone(&log);
    let report = Builder::new()
        .explore(move || {
            written.lock().unwrap().clear();
            let _value = OnDrop(|| note(&written, "value"));
            thread::scope(|scope| {
                scope.spawn(|| {
                    let _task = OnDrop(|| note(&written, "task"));
                    let _ = catch_unwind(thread::park);
                    let _ = catch_unwind(thread::park);
                });
                let _ = catch_unwind(thread::park);
            });
            note(&written, "after the scope");
        })
        .unwrap();
    assert_eq!(deadlocked(&report), [TaskId(0), TaskId(1)]);
    assert_eq!(*log.lock().unwrap(), ["task", "value"]);
}
