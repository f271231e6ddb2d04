//! Cancellation at every await: nothing is lost, leaked or done twice, and who waits behind is served.

use crate::support::types_outcomes::{explored_with, outcomes};
use caissa::future::sync::{
    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
};
use caissa::future::{JoinHandle, block_on, spawn, yield_now};
use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Search, Verdict};

/// Aborts a task at whatever step, and waits until it has ended. True if that came too late.
fn aborted<T>(task: JoinHandle<T>) -> bool {
    task.abort();
    block_on(task).is_ok()
}

#[test]
fn permits_of_a_cancelled_task_come_back() {
    let seen = outcomes(|| {
        let semaphore = Arc::new(Semaphore::new(2));
        let held = semaphore.try_acquire().unwrap();
        let other = Arc::clone(&semaphore);
        let task = spawn(async move {
            let _two = other.acquire_many(2).await.unwrap();
            yield_now().await;
        });
        drop(held);
        let ended = aborted(task);
        (semaphore.available_permits(), ended)
    });
    assert_eq!(seen, [(2, false), (2, true)].into());
}

#[test]
fn a_lock_goes_on_to_the_next_when_its_waiter_is_cancelled() {
    let seen = outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let held = lock.try_lock().unwrap();
        let [first, second] = [1, 10].map(|n| {
            let lock = Arc::clone(&lock);
            spawn(async move { *lock.lock().await += n })
        });
        first.abort();
        drop(held);
        block_on(second).unwrap();
        let first = block_on(first).is_ok();
        (first, *lock.try_lock().unwrap())
    });
    // It may come too late; the second one gets the lock in any case.
    assert_eq!(seen, [(false, 10), (true, 11)].into());
}

#[test]
fn a_cancelled_writer_lets_readers_in() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let held = lock.try_read().unwrap();
        let writes = Arc::clone(&lock);
        let writer = spawn(async move { *writes.write().await = 1 });
        writer.abort();
        let reads = Arc::clone(&lock);
        let reader = spawn(async move { *reads.read().await });
        // The reader may have come behind the writer: it gets in once that is gone, though the lock is held for reading.
        let read = block_on(reader).unwrap();
        drop(held);
        (block_on(writer).is_ok(), read)
    });
    // An abort that finds the writer in its last poll comes too late.
    assert_eq!(seen, [(false, 0), (true, 0)].into());
}

#[test]
fn a_message_is_received_or_stays() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel(1);
        let shared = Arc::new(Mutex::new(receiver));
        let receives = Arc::clone(&shared);
        let task = spawn(async move { receives.lock().await.recv().await });
        sender.try_send(7).unwrap();
        task.abort();
        let got = block_on(task).ok().flatten();
        let left = block_on(shared.lock()).try_recv().ok();
        (got, left)
    });
    assert_eq!(seen, [(Some(7), None), (None, Some(7))].into());
}

#[test]
fn a_message_is_sent_or_not_and_room_is_not_lost() {
    let seen = outcomes(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        sender.try_send(1).unwrap();
        let sends = sender.clone();
        let task = spawn(async move { sends.send(2).await.unwrap() });
        let first = block_on(receiver.recv());
        let sent = aborted(task);
        let second = receiver.try_recv().ok();
        (first, sent, second, sender.capacity())
    });
    // Sent and aborted before it could end counts as aborted.
    assert!(seen.contains(&(Some(1), true, Some(2), 1)), "{seen:?}");
    assert!(seen.contains(&(Some(1), false, None, 1)), "{seen:?}");
    assert!(seen.iter().all(|(first, sent, second, room)| {
        *first == Some(1) && *room == 1 && (second.is_some() || !sent)
    }));
}

#[test]
fn reserved_room_comes_back() {
    let seen = outcomes(|| {
        let (sender, _receiver) = mpsc::channel::<()>(1);
        let reserves = sender.clone();
        let task = spawn(async move {
            let _room = reserves.reserve().await.unwrap();
            yield_now().await;
        });
        aborted(task);
        sender.capacity()
    });
    assert_eq!(seen, [1].into());
}

#[test]
fn a_notification_is_given_on() {
    let seen = outcomes(|| {
        let notify = Arc::new(Notify::new());
        let waits = Arc::clone(&notify);
        let task = spawn(async move { waits.notified().await });
        notify.notify_one();
        let got = aborted(task);
        // Whoever comes next gets what the task did not take.
        if !got {
            block_on(notify.notified());
        }
        got
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn a_cancelled_initialiser_leaves_the_cell_to_another() {
    let seen = outcomes(|| {
        let cell = Arc::new(OnceCell::new());
        let sets = Arc::clone(&cell);
        let task = spawn(async move {
            *sets
                .get_or_init(async || {
                    yield_now().await;
                    1
                })
                .await
        });
        let set = aborted(task);
        (set, *block_on(cell.get_or_init(async || 2)))
    });
    assert_eq!(seen, [(true, 1), (false, 2)].into());
}

#[test]
fn a_cancelled_sender_closes_its_oneshot() {
    let seen = outcomes(|| {
        let (sender, receiver) = oneshot::channel();
        let task = spawn(async move {
            yield_now().await;
            sender.send(1).unwrap();
        });
        let sent = aborted(task);
        (sent, block_on(receiver).ok())
    });
    assert_eq!(seen, [(true, Some(1)), (false, None)].into());
}

#[test]
fn a_cancelled_receiver_of_a_broadcast_does_not_hold_messages() {
    let seen = outcomes(|| {
        let (sender, mut receiver) = broadcast::channel(2);
        let task = spawn(async move { receiver.recv().await.unwrap() });
        let reached = sender.send(1).is_ok();
        let got = aborted(task);
        (reached, got, sender.len(), sender.receiver_count())
    });
    assert_eq!(seen, [(true, true, 0, 0), (true, false, 0, 0)].into());
}

#[test]
fn a_cancelled_wait_for_a_change_marks_nothing() {
    let seen = outcomes(|| {
        let (sender, receiver) = watch::channel(0);
        let shared = Arc::new(Mutex::new(receiver));
        let waits = Arc::clone(&shared);
        let task = spawn(async move { waits.lock().await.changed().await.unwrap() });
        sender.send(1).unwrap();
        let changed = aborted(task);
        let unseen = block_on(shared.lock()).has_changed().unwrap();
        (changed, unseen)
    });
    assert_eq!(seen, [(true, false), (false, true)].into());
}

#[test]
fn who_is_cancelled_at_a_barrier_has_arrived() {
    let seen = outcomes(|| {
        let barrier = Arc::new(Barrier::new(2));
        let arrived = Arc::new(AtomicUsize::new(0));
        let (waits, counts) = (Arc::clone(&barrier), Arc::clone(&arrived));
        let task = spawn(async move {
            counts.store(1, SeqCst);
            waits.wait().await;
        });
        task.abort();
        let _ = block_on(task);
        // As tokio's: not cancel safe.
        if arrived.load(SeqCst) == 1 { block_on(barrier.wait()).is_leader() } else { true }
    });
    assert_eq!(seen, [true].into());
}

#[test]
fn leaving_out_equivalent_executions_loses_nothing() {
    type Program = fn() -> usize;
    let programs: [Program; 5] = [
        || {
            let lock = Arc::new(Mutex::new(0));
            let tasks = [1, 2].map(|n| {
                let lock = Arc::clone(&lock);
                spawn(async move {
                    let mut value = lock.lock().await;
                    *value = *value * 2 + n;
                })
            });
            tasks.into_iter().for_each(|task| block_on(task).unwrap());
            *lock.try_lock().unwrap()
        },
        || {
            let (sender, mut receiver) = mpsc::channel(1);
            let task = spawn(async move {
                for n in [1, 2] {
                    sender.send(n).await.unwrap();
                }
            });
            let mut all = 0;
            while let Some(n) = block_on(receiver.recv()) {
                all = all * 10 + n;
            }
            block_on(task).unwrap();
            all
        },
        || {
            let (sender, mut receiver) = watch::channel(0);
            let task = spawn(async move {
                let mut sum = 0;
                while receiver.changed().await.is_ok() {
                    sum += *receiver.borrow_and_update();
                }
                sum
            });
            sender.send(1).unwrap();
            drop(sender);
            block_on(task).unwrap()
        },
        || {
            let notify = Arc::new(Notify::new());
            let tasks = [0, 1].map(|_| {
                let notify = Arc::clone(&notify);
                spawn(async move { notify.notified().await })
            });
            notify.notify_one();
            notify.notify_waiters();
            tasks.map(|task| usize::from(aborted(task))).iter().sum()
        },
        || {
            let (sender, receiver) = broadcast::channel(2);
            let tasks = [receiver.resubscribe(), receiver]
                .map(|mut receiver| spawn(async move { receiver.recv().await.unwrap_or(0) }));
            sender.send(1).unwrap();
            tasks.map(|task| block_on(task).unwrap()).iter().sum()
        },
    ];
    for (index, program) in programs.into_iter().enumerate() {
        let [all, reduced] = [false, true].map(|reduce| {
            let seen = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
            let into = std::sync::Arc::clone(&seen);
            let builder = Builder::new().search(Search::Dfs).reduce(reduce).max_executions(3_000_000);
            let report = builder.explore(move || {
                let outcome = program();
                into.lock().unwrap().insert(outcome);
            });
            let report = report.unwrap();
            assert_eq!(report.verdict, Verdict::Verified, "program {index}: {report}");
            let outcomes = seen.lock().unwrap().clone();
            (outcomes, report.summary.classes(), report.executions())
        });
        assert_eq!((all.0, all.1), (reduced.0, reduced.1), "program {index}");
        assert!(reduced.2 <= all.2, "program {index}");
    }
}

/// How many orders there are of three tasks' steps: one that begins, and two that can begin after its first and its second.
fn orders(main: u64, one: u64, two: u64) -> u64 {
    fn count(done: [u64; 3], all: [u64; 3]) -> u64 {
        if done == all {
            return 1;
        }
        let begun = [true, done[0] >= 1, done[0] >= 2];
        let mut sum = 0;
        for task in 0..3 {
            if begun[task] && done[task] < all[task] {
                let mut next = done;
                next[task] += 1;
                sum += count(next, all);
            }
        }
        sum
    }
    count([0; 3], [main, one, two])
}

#[test]
fn a_task_that_never_waits_has_one_step_more_than_its_operations_and_its_end() {
    // The first poll is a step: it can be cancelled before.
    for operations in 0..3 {
        let explored = explored_with(Builder::new(), move || {
            let shared = Arc::new(AtomicUsize::new(0));
            for _ in 0..2 {
                let shared = Arc::clone(&shared);
                drop(spawn(async move {
                    for _ in 0..operations {
                        shared.fetch_add(1, SeqCst);
                    }
                }));
            }
        });
        let steps = operations as u64 + 2;
        assert_eq!(explored.executions, orders(3, steps, steps), "{operations} operations");
    }
}
