//! The `futures` crate, unchanged, on our tasks.

use crate::support::types_outcomes;
use std::collections::BTreeSet;

use caissa::future::{block_on, spawn, sync, yield_now};
use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Search, Verdict};
use futures::channel::{mpsc, oneshot};
use futures::future::{AbortHandle, Abortable, Either, join, join_all, select, try_join_all};
use futures::stream::{self, FuturesUnordered, StreamExt};
use futures::{FutureExt, SinkExt, pin_mut, select_biased};
// The types of the `futures` crate are not ours.
use crate::support::types_outcomes::{finding, outcomes_of_foreign_types as outcomes};

/// The results under every schedule of a closure whose tasks share state of std's types, as futures of other crates do: no class
/// knows of that, so executions of one class may differ, and leaving out some of them is wrong.
fn outcomes_with_unseen_state<T, F>(f: F) -> BTreeSet<T>
where
    T: Ord + std::fmt::Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + Clone + 'static,
{
    let [dfs, preemptions] = [Search::Dfs, Search::Preemptions].map(|search| {
        let seen = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let (f, all) = (f.clone(), std::sync::Arc::clone(&seen));
        let report = Builder::new().fair(false).search(search).unbounded().explore(move || {
            let outcome = f();
            all.lock().unwrap().insert(outcome);
        });
        let report = report.unwrap();
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        let outcomes = std::mem::take(&mut *seen.lock().unwrap());
        (outcomes, report.executions())
    });
    assert_eq!(dfs, preemptions);
    dfs.0
}

#[test]
fn join_all_gives_all_results_in_their_order() {
    let seen = outcomes_with_unseen_state(|| {
        block_on(join_all((0..2).map(|n| spawn(async move { n }))))
            .into_iter()
            .map(Result::unwrap)
            .collect::<Vec<_>>()
    });
    assert_eq!(seen, [vec![0, 1]].into());
}

#[test]
fn join_polls_both_on_one_task() {
    let seen = outcomes(|| {
        let (sender, receiver) = sync::oneshot::channel();
        let both = join(receiver, async move { sender.send(1).is_ok() });
        let (got, sent) = block_on(both);
        (got.ok(), sent)
    });
    assert_eq!(seen, [(Some(1), true)].into());
}

#[test]
fn select_gives_what_is_ready_first() {
    let seen = outcomes(|| {
        let [one, two] = [1, 2].map(|n| spawn(async move { n }));
        match block_on(select(one, two)) {
            Either::Left((result, other)) => (result.unwrap(), block_on(other).unwrap()),
            Either::Right((result, other)) => (result.unwrap(), block_on(other).unwrap()),
        }
    });
    assert_eq!(seen, [(1, 2), (2, 1)].into());
}

#[test]
fn select_biased_drops_what_loses() {
    // Who loses is dropped where it waits: its message is not lost, the other one's is there.
    let seen = outcomes(|| {
        let (sender, mut one) = sync::mpsc::channel(1);
        let (other, mut two) = sync::mpsc::channel(1);
        let tasks = [(sender, 1), (other, 2)]
            .map(|(sender, message)| spawn(async move { sender.send(message).await.unwrap() }));
        let first = block_on(async {
            let (receive_one, receive_two) = (one.recv().fuse(), two.recv().fuse());
            pin_mut!(receive_one, receive_two);
            select_biased! {
                message = receive_one => message,
                message = receive_two => message,
            }
        });
        for task in tasks {
            block_on(task).unwrap();
        }
        (first, one.try_recv().ok(), two.try_recv().ok())
    });
    assert_eq!(seen, [(Some(1), None, Some(2)), (Some(2), Some(1), None)].into());
}

#[test]
fn select_that_draws_lots_is_noticed() {
    // `futures::select!` polls in an order that it draws from a generator which lives as long as the OS thread: the program does
    // not do the same twice under one schedule. `select_biased!`, or a `choose` of the order, does.
    let draws = || {
        let shared = Arc::new(AtomicUsize::new(0));
        block_on(async {
            for _ in 0..20 {
                let one = async { shared.fetch_add(1, SeqCst) }.fuse();
                let two = async { shared.load(SeqCst) }.fuse();
                pin_mut!(one, two);
                futures::select! { n = one => n, n = two => n };
            }
        });
    };
    let report = Builder::new().explore(draws).unwrap();
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
}

#[test]
fn futures_unordered_gives_results_as_they_come() {
    let seen = outcomes_with_unseen_state(|| {
        let tasks: FuturesUnordered<_> = (0..2).map(|n| spawn(async move { n })).collect();
        block_on(tasks.map(Result::unwrap).collect::<Vec<_>>())
    });
    assert_eq!(seen, [vec![0, 1], vec![1, 0]].into());
}

#[test]
fn futures_unordered_of_our_locks() {
    let seen = outcomes_with_unseen_state(|| {
        let lock = Arc::new(sync::Mutex::new(0));
        let adds = (0..3).map(|_| async {
            let mut value = lock.lock().await;
            yield_now().await;
            *value += 1;
        });
        block_on(adds.collect::<FuturesUnordered<_>>().collect::<()>());
        *block_on(lock.lock())
    });
    assert_eq!(seen, [3].into());
}

#[test]
fn channels_of_futures_hand_over_between_tasks() {
    let seen = outcomes_with_unseen_state(|| {
        let (sender, receiver) = oneshot::channel();
        let task = spawn(async move { receiver.await.unwrap() });
        sender.send(1).unwrap();
        let (mut sender, receiver) = mpsc::channel(0);
        let sends = spawn(async move {
            for n in 0..2 {
                sender.send(n).await.unwrap();
            }
        });
        let got = block_on(receiver.collect::<Vec<i32>>());
        block_on(sends).unwrap();
        (block_on(task).unwrap(), got)
    });
    assert_eq!(seen, [(1, vec![0, 1])].into());
}

#[test]
fn a_lock_of_futures_wakes_under_a_lock_of_stds() {
    let seen = outcomes_with_unseen_state(|| {
        let lock = Arc::new(futures::lock::Mutex::new(0));
        let tasks = [0, 1].map(|_| {
            let lock = Arc::clone(&lock);
            spawn(async move {
                let mut value = lock.lock().await;
                yield_now().await;
                *value += 1;
            })
        });
        block_on(try_join_all(tasks)).unwrap();
        *block_on(lock.lock())
    });
    assert_eq!(seen, [2].into());
}

#[test]
fn an_abortable_is_aborted_at_any_await() {
    let seen = outcomes_with_unseen_state(|| {
        let shared = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&shared);
        let (abort, registration) = AbortHandle::new_pair();
        let counting = async move {
            for _ in 0..2 {
                counts.fetch_add(1, SeqCst);
                yield_now().await;
            }
        };
        let task = spawn(Abortable::new(counting, registration));
        // The handle sets a flag of std's, which is no operation: it goes with the operation before it.
        caissa::thread::yield_now();
        abort.abort();
        let aborted = block_on(task).unwrap().is_err();
        (shared.load(SeqCst), aborted)
    });
    assert_eq!(seen, [(0, true), (1, true), (2, true), (2, false)].into());
}

#[test]
fn streams_are_polled_as_they_should_be() {
    let seen = outcomes_with_unseen_state(|| {
        let work = stream::iter(0..3).map(|n| spawn(async move { n * n })).buffered(2);
        block_on(work.map(Result::unwrap).collect::<Vec<_>>())
    });
    assert_eq!(seen, [vec![0, 1, 4]].into());
}

#[test]
fn channels_of_tokios_hand_over_between_tasks() {
    // Primitives of tokio's wake by our wakers; only between our points can something else happen.
    let seen = outcomes_with_unseen_state(|| {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let task = spawn(async move { receiver.await.unwrap() });
        sender.send(7).unwrap();
        block_on(task).unwrap()
    });
    assert_eq!(seen, [7].into());
}

#[test]
fn a_future_that_is_forgotten_by_its_join_is_found() {
    // Both halves wait for each other on one task.
    let (found, text) = finding(|| {
        let (one, two) = (sync::Notify::new(), sync::Notify::new());
        block_on(join(
            async {
                one.notified().await;
                two.notify_one();
            },
            async {
                two.notified().await;
                one.notify_one();
            },
        ));
    });
    assert_eq!(found.bug.kind(), "deadlock");
    types_outcomes::assert_says(&text, &["its waker is held by notify#0 (since ", "notify#1 (since "]);
}

#[test]
fn every_search_agrees_on_a_program_of_many_parts() {
    fn program() -> (usize, usize) {
        let (sender, mut receiver) = sync::mpsc::channel(1);
        let limit = Arc::new(sync::Semaphore::new(1));
        let sends = [1, 2].map(|n| {
            let (sender, limit) = (sender.clone(), Arc::clone(&limit));
            spawn(async move {
                let _permit = limit.acquire().await.unwrap();
                sender.send(n).await.unwrap();
            })
        });
        drop(sender);
        let sum = block_on(async {
            let mut sum = 0;
            while let Some(n) = receiver.recv().await {
                sum += n;
            }
            try_join_all(sends).await.unwrap();
            sum
        });
        (sum, limit.available_permits())
    }
    for bound in 0..3 {
        let report = Builder::new()
            .search(Search::Preemptions)
            .bound(bound)
            .explore(|| assert_eq!(program(), (3, 1)))
            .unwrap();
        assert!(matches!(report.verdict, Verdict::Bounded | Verdict::Verified), "{report}");
    }
}
