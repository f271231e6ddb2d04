//! `future::time`: timers on virtual time, races between them and everything else.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::types_outcomes::{outcomes, outcomes_within};
use caissa::future::time::{
    Instant, MissedTickBehavior, interval, interval_at, sleep, sleep_until, timeout, timeout_at,
};
use caissa::future::{block_on, spawn, spawn_local, sync, yield_now};
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Verdict, thread};
use futures::future::{Either, join, select};

const MS: Duration = Duration::from_millis(1);

/// The outcomes with budgets of 0 and 1 faults.
fn by_budget<T, F>(f: F) -> [BTreeSet<T>; 2]
where
    T: Ord + std::fmt::Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + Copy + 'static,
{
    [0, 1].map(|faults| outcomes_within(faults, f))
}

/// How much time has passed, in milliseconds.
fn since(start: Instant) -> u128 {
    start.elapsed().as_millis()
}

#[test]
fn a_sleep_takes_its_time_and_no_more() {
    let seen = outcomes(|| {
        let start = Instant::now();
        block_on(sleep(5 * MS));
        let first = since(start);
        block_on(sleep_until(start + 7 * MS));
        block_on(sleep_until(start));
        (first, since(start))
    });
    assert_eq!(seen, [(5, 7)].into());
}

#[test]
fn outside_a_check_time_is_real() {
    let start = std::time::Instant::now();
    let (slept, elapsed) = block_on(async {
        sleep(5 * MS).await;
        (start.elapsed() >= 5 * MS, timeout(MS, std::future::pending::<()>()).await.is_err())
    });
    assert!(slept && elapsed);
    let mut ticks = interval(MS);
    block_on(async {
        for _ in 0..3 {
            ticks.tick().await;
        }
    });
    assert!(start.elapsed() >= 8 * MS);
}

/// The order in which two tasks wake that sleep 1 and 2 ms, and the times that they see then.
fn two_sleepers() -> Vec<(u32, u128)> {
    let (start, order) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
    let tasks = [2, 1].map(|ms| {
        let order = Arc::clone(&order);
        spawn(async move {
            sleep_until(start + ms * MS).await;
            order.lock().unwrap().push((ms, since(start)));
        })
    });
    for task in tasks {
        block_on(task).unwrap();
    }
    let order = order.lock().unwrap();
    order.clone()
}

#[test]
fn the_earliest_timer_fires_first_unless_a_fault_lets_a_later_one() {
    let [without, with] = by_budget(two_sleepers);
    // A task that has woken may be overtaken before it takes the lock, and time may pass meanwhile: but the first to wake is the one
    // that sleeps less.
    assert!(without.contains(&vec![(1, 1), (2, 2)]), "{without:?}");
    assert!(!without.contains(&vec![(2, 2), (1, 1)]), "{without:?}");
    assert!(with.is_superset(&without));
    assert!(with.contains(&vec![(2, 2), (1, 2)]), "{with:?}");
}

#[test]
fn a_timer_does_not_fire_while_others_run_except_by_a_fault() {
    let seen = by_budget(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&shared);
        let task = spawn(async move {
            for _ in 0..2 {
                counts.fetch_add(1, SeqCst);
                yield_now().await;
            }
        });
        block_on(sleep(MS));
        let seen = shared.load(SeqCst);
        block_on(task).unwrap();
        seen
    });
    assert_eq!(seen, [[2].into(), [0, 1, 2].into()]);
}

#[test]
fn a_timeout_of_something_that_never_comes_is_no_deadlock() {
    let seen = outcomes(|| {
        let start = Instant::now();
        let elapsed = block_on(timeout(3 * MS, std::future::pending::<()>()));
        (elapsed.is_err(), since(start))
    });
    assert_eq!(seen, [(true, 3)].into());
}

#[test]
fn a_timeout_races_with_what_it_limits() {
    let seen = by_budget(|| {
        let (sender, receiver) = sync::oneshot::channel();
        let task = spawn(async move { sender.send(1).is_ok() });
        let got = block_on(timeout(MS, receiver)).ok().map(Result::unwrap);
        (got, block_on(task).unwrap())
    });
    // With a fault the time may pass first; then the message finds nobody, or has come too late to be looked at.
    assert_eq!(seen[0], [(Some(1), true)].into());
    assert_eq!(seen[1], [(Some(1), true), (None, false), (None, true)].into());
}

#[test]
fn what_is_ready_wins_over_a_time_that_has_passed() {
    let seen = outcomes(|| {
        let start = Instant::now();
        block_on(sleep(2 * MS));
        let ready = block_on(timeout_at(start, async { 1 }));
        let late = block_on(timeout(Duration::ZERO, std::future::pending::<()>()));
        (ready.ok(), late.is_err(), since(start))
    });
    assert_eq!(seen, [(Some(1), true, 2)].into());
}

#[test]
fn several_timers_of_one_task() {
    let seen = outcomes(|| {
        let start = Instant::now();
        block_on(async {
            let long = std::pin::pin!(sleep(5 * MS));
            let short = std::pin::pin!(sleep(2 * MS));
            let first = match select(long, short).await {
                Either::Left(_) => 5,
                Either::Right((_, long)) => {
                    let at = since(start);
                    long.await;
                    at
                }
            };
            let both = join(sleep(MS), sleep(3 * MS));
            both.await;
            (first, since(start))
        })
    });
    assert_eq!(seen, [(2, 8)].into());
}

#[test]
fn a_sleep_that_is_dropped_or_reset_does_not_fire() {
    let seen = outcomes(|| {
        let start = Instant::now();
        block_on(async {
            let early = Box::pin(sleep(MS));
            let won = matches!(select(early, std::future::ready(())).await, Either::Right(_));
            let mut reset = Box::pin(sleep(2 * MS));
            reset.as_mut().reset(start + 4 * MS);
            assert_eq!(reset.deadline(), start + 4 * MS);
            reset.await;
            (won, since(start))
        })
    });
    assert_eq!(seen, [(true, 4)].into());
}

#[test]
fn an_interval_ticks() {
    let seen = outcomes(|| {
        let start = Instant::now();
        let mut ticks = interval(10 * MS);
        let mut seen = Vec::new();
        block_on(async {
            for _ in 0..2 {
                seen.push((ticks.tick().await - start).as_millis());
            }
            ticks.reset();
            seen.push((ticks.tick().await - start).as_millis());
            ticks = interval_at(start + 21 * MS, 10 * MS);
            seen.push((ticks.tick().await - start).as_millis());
        });
        seen
    });
    assert_eq!(seen, [vec![0, 10, 20, 21]].into());
}

#[test]
fn an_interval_that_is_late() {
    let ticks = |behavior| {
        outcomes(move || {
            let start = Instant::now();
            let mut ticks = interval_at(start, 10 * MS);
            ticks.set_missed_tick_behavior(behavior);
            assert_eq!((ticks.missed_tick_behavior(), ticks.period()), (behavior, 10 * MS));
            block_on(async {
                ticks.tick().await;
                sleep(25 * MS).await;
                let mut seen = Vec::new();
                for _ in 0..3 {
                    ticks.tick().await;
                    seen.push(since(start));
                }
                seen
            })
        })
    };
    // As the documentation of tokio's draws them.
    assert_eq!(ticks(MissedTickBehavior::Burst), [vec![25, 25, 30]].into());
    assert_eq!(ticks(MissedTickBehavior::Delay), [vec![25, 35, 45]].into());
    assert_eq!(ticks(MissedTickBehavior::Skip), [vec![25, 30, 40]].into());
}

#[test]
fn local_tasks_with_timers_share_their_thread() {
    let seen = outcomes(|| {
        block_on(async {
            let shared = std::rc::Rc::new(std::cell::RefCell::new(0));
            let busy = Arc::new(AtomicUsize::new(0));
            let tasks = [1, 1].map(|ms| {
                let (shared, busy) = (std::rc::Rc::clone(&shared), Arc::clone(&busy));
                spawn_local(async move {
                    sleep(ms * MS).await;
                    let mut value = shared.borrow_mut();
                    busy.fetch_add(1, SeqCst);
                    *value += 1;
                })
            });
            for task in tasks {
                task.await.unwrap();
            }
            *shared.borrow()
        })
    });
    assert_eq!(seen, [2].into());
}

#[test]
fn sleeping_threads_and_sleeping_tasks_have_one_clock() {
    let seen = outcomes_within(0, || {
        let start = Instant::now();
        let thread = thread::spawn(|| thread::sleep(4 * MS));
        block_on(sleep(2 * MS));
        let woke = since(start);
        thread.join().unwrap();
        (woke >= 2, since(start) >= 4)
    });
    assert_eq!(seen, [(true, true)].into());
}

#[test]
fn a_heartbeat_without_end_ends_at_max_steps() {
    let report = Builder::new()
        .max_steps(200)
        .max_executions(5)
        .explore(|| {
            block_on(async {
                let mut ticks = interval(MS);
                loop {
                    ticks.tick().await;
                }
            })
        })
        .unwrap();
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
}
