//! `future::{spawn, block_on, ...}`: results, panics, cancellation, wakers.

#![allow(
    clippy::await_holding_refcell_ref,
    clippy::async_yields_async,
    clippy::redundant_async_block,
    reason = "what clippy warns of is what is tested"
)]

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::future::{AbortHandle, JoinHandle, block_on, spawn, spawn_local, yield_now};
use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Bug, OpKind, TaskId, thread};

/// Counts what is dropped.
struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Runs a body outside a check and under every schedule of one; all must give the same.
fn everywhere<T: Ord + std::fmt::Debug + Send + 'static>(body: fn() -> T, expected: T) {
    assert_eq!(body(), expected, "outside a check");
    assert_eq!(outcomes(body), [expected].into(), "inside a check");
}

#[test]
fn block_on_gives_the_output() {
    everywhere(|| block_on(async { 6 * 7 }), 42);
}

#[test]
fn a_join_handle_gives_the_output() {
    everywhere(
        || {
            block_on(async {
                let one = spawn(async { 1 });
                let two = spawn(async { spawn(async { 2 }).await.unwrap() });
                one.await.unwrap() + two.await.unwrap()
            })
        },
        3,
    );
}

#[test]
fn a_panic_is_given_to_who_joins() {
    everywhere(
        || {
            let error = block_on(spawn(async { panic!("boom") })).unwrap_err();
            let error: caissa::future::JoinError = error;
            let debug = format!("{error:?}, {error}");
            let kinds = (error.is_panic(), error.is_cancelled());
            (kinds, debug, *error.into_panic().downcast::<&str>().unwrap())
        },
        (
            (true, false),
            "JoinError::Panic(\"boom\"), the task panicked with message \"boom\"".to_owned(),
            "boom",
        ),
    );
}

#[test]
fn a_panic_that_nobody_joins_is_a_finding() {
    let (found, text) = finding(|| {
        drop(spawn(async { panic!("boom") }));
    });
    let Bug::Panic { panic, passed_on, .. } = &found.bug else { panic!("{text}") };
    assert_eq!((panic.task, panic.message.as_str(), passed_on), (TaskId(1), "boom", &None));
}

#[test]
fn a_panic_that_is_unwrapped_names_the_first() {
    let (found, text) = finding(|| block_on(async { spawn(async { panic!("boom") }).await.unwrap() }));
    let Bug::Panic { panic, passed_on, .. } = &found.bug else { panic!("{text}") };
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
    assert_eq!(passed_on.as_ref().map(|note| note.task), Some(TaskId::MAIN));
}

#[test]
fn a_dropped_handle_lets_the_task_go_on() {
    let seen = outcomes(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let task_count = Arc::clone(&count);
        drop(spawn(async move { task_count.fetch_add(1, SeqCst) }));
        count.load(SeqCst)
    });
    assert_eq!(seen, [0, 1].into());
}

/// What a task that yields between three steps has done when it is aborted: steps, drops of its future, whether joined as cancelled.
fn aborted_while_running() -> (usize, usize, bool) {
    let (steps, drops) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (task_steps, guard) = (Arc::clone(&steps), CountDrop(Arc::clone(&drops)));
    let task = spawn(async move {
        let _guard = guard;
        for _ in 0..2 {
            task_steps.fetch_add(1, SeqCst);
            yield_now().await;
        }
        task_steps.fetch_add(1, SeqCst);
    });
    task.abort();
    let result = block_on(task);
    (steps.load(SeqCst), drops.load(SeqCst), result.is_err_and(|error| error.is_cancelled()))
}

#[test]
fn an_abort_takes_effect_at_any_await_and_never_in_between() {
    // Before the first poll, after each of the two yields, or too late; the future is dropped once in any case.
    let all = [(0, 1, true), (1, 1, true), (2, 1, true), (3, 1, false)];
    assert_eq!(outcomes(aborted_while_running), all.into());
    let outside = aborted_while_running();
    assert!(all.contains(&outside), "{outside:?}");
}

#[test]
fn an_abort_of_a_task_that_has_ended_changes_nothing() {
    everywhere(
        || {
            let task = spawn(async { 5 });
            let abort: AbortHandle = task.abort_handle();
            let result = block_on(task).unwrap();
            abort.abort();
            (result, abort.is_finished())
        },
        (5, true),
    );
}

#[test]
fn destructors_of_a_cancelled_task_are_part_of_the_execution() {
    // The guard of the cancelled task is released at a point: another task can find the lock held or free.
    let seen = outcomes(|| {
        let lock = Arc::new(caissa::future::sync::Mutex::new(()));
        let other = Arc::clone(&lock);
        let task = spawn(async move {
            let _guard = other.lock().await;
            std::future::pending::<()>().await;
        });
        task.abort();
        let free = lock.try_lock().is_ok();
        assert!(block_on(task).is_err());
        (free, lock.try_lock().is_ok())
    });
    assert_eq!(seen, [(false, true), (true, true)].into());
}

#[test]
fn is_finished_tells_the_end() {
    let seen = outcomes(|| {
        let task = spawn(async {});
        let finished = task.is_finished();
        block_on(task).unwrap();
        finished
    });
    assert_eq!(seen, [false, true].into());
}

/// A flag with a place for a waker, used rightly: the waker is there before the flag is looked at.
#[derive(Default)]
struct Flag {
    set: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Flag {
    fn wait(&self) -> impl Future<Output = ()> {
        poll_fn(|cx| {
            *self.waker.lock().unwrap() = Some(cx.waker().clone());
            if self.set.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    fn set(&self) {
        self.set.store(true, SeqCst);
        let waker = self.waker.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[test]
fn a_waker_can_be_stored_and_woken_from_a_thread() {
    everywhere(
        || {
            let flag = Arc::new(Flag::default());
            let setter = Arc::clone(&flag);
            let thread = thread::spawn(move || setter.set());
            block_on(flag.wait());
            thread.join().is_ok()
        },
        true,
    );
}

#[test]
fn a_wake_up_while_the_task_runs_makes_another_poll() {
    everywhere(
        || {
            let mut polls = 0;
            block_on(poll_fn(|cx| {
                polls += 1;
                cx.waker().wake_by_ref();
                if polls == 3 { Poll::Ready(()) } else { Poll::Pending }
            }));
            polls
        },
        3,
    );
}

#[test]
fn a_waker_may_outlive_its_execution_and_then_does_nothing() {
    static KEPT: std::sync::Mutex<Option<Waker>> = std::sync::Mutex::new(None);
    outcomes(|| {
        let old = block_on(poll_fn(|cx| Poll::Ready(KEPT.lock().unwrap().replace(cx.waker().clone()))));
        if let Some(old) = old {
            old.wake();
        }
    });
    let last = KEPT.lock().unwrap().take();
    last.expect("there were executions").wake();
}

#[test]
fn a_waker_knows_its_like() {
    everywhere(
        || {
            block_on(poll_fn(|cx| {
                let clone = cx.waker().clone();
                Poll::Ready((clone.will_wake(cx.waker()), Waker::noop().will_wake(cx.waker())))
            }))
        },
        (true, false),
    );
}

#[test]
fn wakers_woken_under_a_lock_of_stds_are_no_trouble() {
    // The wake-up is a step of its own, but not before the lock is free again.
    everywhere(
        || {
            let slot = Arc::new(std::sync::Mutex::new((false, None::<Waker>)));
            let other = Arc::clone(&slot);
            let thread = thread::spawn(move || {
                let mut slot = other.lock().unwrap();
                slot.0 = true;
                if let Some(waker) = slot.1.take() {
                    waker.wake();
                }
            });
            block_on(poll_fn(|cx| {
                let mut slot = slot.lock().unwrap();
                slot.1 = Some(cx.waker().clone());
                if slot.0 { Poll::Ready(()) } else { Poll::Pending }
            }));
            thread.join().is_ok()
        },
        true,
    );
}

#[test]
fn local_tasks_share_their_thread() {
    // Both borrow the cell across operations of other kinds, which are points, but not across an await.
    everywhere(
        || {
            let trace = Rc::new(RefCell::new(Vec::new()));
            let shared = Arc::new(AtomicUsize::new(0));
            let sum = block_on(async {
                let tasks: Vec<JoinHandle<()>> = (0..2)
                    .map(|me| {
                        let (trace, shared) = (Rc::clone(&trace), Arc::clone(&shared));
                        spawn_local(async move {
                            let mut trace = trace.borrow_mut();
                            trace.push(me);
                            shared.fetch_add(1, SeqCst);
                            trace.push(me);
                            drop(trace);
                            yield_now().await;
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
                shared.load(SeqCst)
            });
            let trace = trace.borrow();
            (sum, trace[0] == trace[1] && trace[2] == trace[3])
        },
        (2, true),
    );
}

#[test]
fn local_tasks_come_in_any_order() {
    let seen = outcomes(|| {
        let order = Rc::new(RefCell::new(Vec::new()));
        block_on(async {
            let tasks = [0, 1].map(|me| {
                let order = Rc::clone(&order);
                spawn_local(async move { order.borrow_mut().push(me) })
            });
            for task in tasks {
                task.await.unwrap();
            }
        });
        order.take()
    });
    assert_eq!(seen, [vec![0, 1], vec![1, 0]].into());
}

#[test]
fn local_tasks_that_are_left_are_cancelled_when_block_on_ends() {
    everywhere(
        || {
            let dropped = Rc::new(Cell::new(0));
            struct Count(Rc<Cell<u32>>);
            impl Drop for Count {
                fn drop(&mut self) {
                    self.0.set(self.0.get() + 1);
                }
            }
            let guard = Count(Rc::clone(&dropped));
            let handle = block_on(async {
                spawn_local(async move {
                    let _guard = guard;
                    std::future::pending::<()>().await;
                })
            });
            let error = block_on(handle).unwrap_err();
            (dropped.get(), error.is_cancelled())
        },
        (1, true),
    );
}

#[test]
fn a_local_task_can_be_aborted_and_can_panic() {
    everywhere(
        || {
            block_on(async {
                let waits = spawn_local(std::future::pending::<()>());
                waits.abort();
                let cancelled = waits.await.unwrap_err().is_cancelled();
                let panicked = spawn_local(async { panic!("boom") });
                let panicked: Result<(), _> = panicked.await;
                (cancelled, panicked.unwrap_err().is_panic())
            })
        },
        (true, true),
    );
}

#[test]
fn spawn_local_needs_a_thread_to_share() {
    let (_, text) = finding(|| drop(spawn_local(async {})));
    assert_says(&text, &["`spawn_local` needs a thread to share"]);
    // A task of `spawn` has a thread of its own, which is no one's to share.
    let (_, text) = finding(|| {
        block_on(spawn(async {
            spawn_local(async {});
        }))
        .unwrap();
    });
    assert_says(&text, &["`spawn_local` needs a thread to share"]);
}

#[test]
fn block_on_inside_an_async_task_blocks_that_task_only() {
    everywhere(
        || {
            let flag = Arc::new(Flag::default());
            let other = Arc::clone(&flag);
            let task = spawn(async move {
                yield_now().await;
                block_on(other.wait());
                yield_now().await;
                1
            });
            flag.set();
            block_on(task).unwrap()
        },
        1,
    );
}

#[test]
fn spawned_tasks_run_in_parallel_inside_polls() {
    let found = explored(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let tasks = [0, 1].map(|_| {
            let shared = Arc::clone(&shared);
            spawn(async move { shared.store(shared.load(SeqCst) + 1, SeqCst) })
        });
        for task in tasks {
            block_on(task).unwrap();
        }
        shared.load(SeqCst)
    });
    assert_eq!(found.outcomes, [1, 2].into());
}

/// Looks at the flag first and stores its waker then.
struct TooLate<'a>(&'a Flag);

impl Future for TooLate<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0.set.load(SeqCst) {
            return Poll::Ready(());
        }
        *self.0.waker.lock().unwrap() = Some(cx.waker().clone());
        Poll::Pending
    }
}

#[test]
fn a_lost_wake_up_names_the_task_and_where_its_waker_is() {
    let (found, text) = finding(|| {
        let flag = Arc::new(Flag::default());
        let waits = Arc::clone(&flag);
        let task = spawn(async move { TooLate(&waits).await });
        flag.set();
        block_on(task).unwrap();
    });
    let Bug::Deadlock { blocked, .. } = &found.bug else { panic!("{text}") };
    assert!(blocked.iter().all(|blocked| blocked.op.kind == OpKind::Await), "{text}");
    assert_says(
        &text,
        &["task T1 awaits a wake-up", "its waker was cloned by T1 after `load atomic#", "nobody wakes it"],
    );
    assert_says(&text, &["its waker is held by the join handle of T1 (spawned at "]);
}

#[test]
fn a_waker_that_was_never_kept_is_said() {
    let (_, text) = finding(|| block_on(std::future::pending::<()>()));
    assert_says(
        &text,
        &["task T0 (main) awaits a wake-up", "kept no clone of its waker, so nobody can wake it"],
    );
}

#[test]
fn a_waker_that_was_dropped_is_said() {
    let (_, text) = finding(|| {
        let slot = Arc::new(Mutex::new(None::<Waker>));
        let other = Arc::clone(&slot);
        let thread = thread::spawn(move || {
            let waker = other.lock().unwrap().take();
            drop(waker);
        });
        block_on(poll_fn(|cx| {
            *slot.lock().unwrap() = Some(cx.waker().clone());
            Poll::<()>::Pending
        }));
        thread.join().unwrap();
    });
    assert_says(&text, &["was dropped by T1 after `unlock mutex#", "without being woken"]);
}

#[test]
fn a_waker_woken_by_a_thread_that_is_no_task_is_a_mistake() {
    let error = caissa::Builder::new()
        .explore(|| {
            block_on(poll_fn(|cx| {
                let waker = cx.waker().clone();
                let woken = std::thread::spawn(move || waker.wake()).join();
                if woken.is_ok() { Poll::Pending } else { Poll::Ready(()) }
            }));
        })
        .unwrap_err();
    assert_says(&error.to_string(), &["belongs to a check that is running", "`caissa::thread::spawn`"]);
}

#[test]
fn a_static_that_an_execution_changes_is_a_mistake() {
    use caissa::future::sync::{Mutex, Semaphore};
    static KEPT: Mutex<u32> = Mutex::const_new(0);
    static LOOKED_AT: Mutex<u32> = Mutex::const_new(7);
    static LIMIT: Semaphore = Semaphore::const_new(1);
    let seen = outcomes(|| {
        let task = spawn(async { *LOOKED_AT.lock().await });
        let _permit = block_on(LIMIT.acquire()).unwrap();
        let mine = *block_on(LOOKED_AT.lock());
        mine + block_on(task).unwrap()
    });
    assert_eq!(seen, [14].into());
    let change: fn() = || *block_on(KEPT.lock()) += 1;
    let leak: fn() = || block_on(LIMIT.acquire()).unwrap().forget();
    for program in [change, leak] {
        let error = caissa::Builder::new().explore(program).unwrap_err();
        assert_says(&error.to_string(), &["outlives an execution", "make it a local of the closure"]);
    }
}

#[test]
fn an_async_lock_is_not_poisoned() {
    everywhere(
        || {
            let lock = Arc::new(caissa::future::sync::Mutex::new(0));
            let other = Arc::clone(&lock);
            let task = spawn(async move {
                let mut value = other.lock().await;
                *value = 1;
                panic!("while it holds the lock");
            });
            let panicked = block_on(task).is_err_and(|error: caissa::future::JoinError| error.is_panic());
            (panicked, *block_on(lock.lock()))
        },
        (true, 1),
    );
}

#[test]
fn tasks_left_waiting_are_a_deadlock_unless_that_is_allowed() {
    let program = || drop(spawn(std::future::pending::<()>()));
    let (_, text) = finding(program);
    assert_says(&text, &["The closure itself has returned", "set `allow_detached`"]);
    let report = caissa::Builder::new().allow_detached(true).explore(program).unwrap();
    assert!(report.finding.is_none(), "{report}");
}

#[test]
fn the_circle_of_async_locks_is_named() {
    let (found, text) = finding(|| {
        let locks = Arc::new([0, 1].map(|_| caissa::future::sync::Mutex::new(())));
        let tasks = [0, 1].map(|me| {
            let locks = Arc::clone(&locks);
            spawn(async move {
                let _own = locks[me].lock().await;
                let _other = locks[1 - me].lock().await;
            })
        });
        for task in tasks {
            block_on(task).unwrap();
        }
    });
    let Bug::Deadlock { cycle, .. } = &found.bug else { panic!("{text}") };
    assert_eq!(cycle, &[TaskId(1), TaskId(2)]);
    assert_says(&text, &["tasks T1 and T2 wait for each other", "which would come from task T2"]);
}

#[test]
fn wake_ups_before_an_operation_that_blocks_are_not_lost() {
    // The thread wakes the task and then blocks, in several ways, until the task has gone on.
    type Block = fn(&Arc<Flag>, &thread::JoinHandle<()>);
    let ways: [Block; 3] = [
        |_, _| thread::park(),
        |_, _| thread::park_timeout(std::time::Duration::from_secs(1)),
        |flag, _| drop(flag.waker.lock().unwrap()),
    ];
    for way in ways {
        let seen = outcomes(move || {
            let (flag, main) = (Arc::new(Flag::default()), thread::current());
            let waits = Arc::clone(&flag);
            let waiter = thread::spawn(move || {
                block_on(waits.wait());
                main.unpark();
            });
            flag.set();
            way(&flag, &waiter);
            waiter.join().is_ok()
        });
        assert_eq!(seen, [true].into());
    }
}
