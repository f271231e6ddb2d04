//! Locks, semaphores and notifications of `future::sync`: as tokio's, outside a check and inside. Channels: `async_channels.rs`.

use std::future::Future;
use std::task::{Context, Waker};

use crate::support::like_tokio::polled;

// ---- semaphore ----

like_tokio! { permits_are_counted -> (Vec<usize>, bool) {
    let semaphore = sync::Semaphore::new(3);
    let mut seen = vec![semaphore.available_permits()];
    let one = semaphore.try_acquire().unwrap();
    let two = polled(semaphore.acquire_many(2)).poll().unwrap().unwrap();
    seen.push(semaphore.available_permits());
    let none = semaphore.try_acquire().is_err();
    drop(one);
    seen.push(semaphore.available_permits());
    two.forget();
    seen.push(semaphore.available_permits());
    semaphore.add_permits(4);
    seen.push(semaphore.available_permits());
    seen.push(semaphore.forget_permits(9));
    seen.push(semaphore.available_permits());
    (seen, none)
} }

like_tokio! { who_comes_first_is_served_first_also_if_it_needs_more -> Vec<bool> {
    let semaphore = sync::Semaphore::new(1);
    let mut many = polled(semaphore.acquire_many(3));
    let mut one = polled(semaphore.acquire());
    let mut seen = vec![many.is_pending(), one.is_pending()];
    // The permit that was there belongs to who needs three already.
    seen.push(semaphore.try_acquire().is_err());
    semaphore.add_permits(1);
    seen.extend([many.is_pending(), one.is_pending(), semaphore.available_permits() == 0]);
    semaphore.add_permits(1);
    let got = many.poll();
    seen.extend([got.is_some(), one.is_pending()]);
    drop(got);
    seen.push(one.poll().is_some());
    seen.push(semaphore.available_permits() == 3);
    seen
} }

like_tokio! { a_dropped_acquire_gives_on_what_it_has -> Vec<usize> {
    let semaphore = sync::Semaphore::new(2);
    let mut many = polled(semaphore.acquire_many(4));
    let mut one = polled(semaphore.acquire());
    assert!(many.is_pending() && one.is_pending());
    let mut seen = vec![semaphore.available_permits()];
    semaphore.add_permits(1);
    seen.push(semaphore.available_permits());
    drop(many);
    // One of the three goes to who waits.
    seen.push(semaphore.available_permits());
    drop(one);
    seen.push(semaphore.available_permits());
    seen
} }

like_tokio! { a_granted_permit_that_is_never_taken_is_given_on -> (usize, bool) {
    let semaphore = sync::Semaphore::new(0);
    let mut first = polled(semaphore.acquire());
    let mut second = polled(semaphore.acquire());
    assert!(first.is_pending() && second.is_pending());
    semaphore.add_permits(1);
    drop(first);
    let got = second.poll().is_some_and(|permit| permit.is_ok());
    (semaphore.available_permits(), got)
} }

like_tokio! { closing_tells_all_who_wait_and_will -> (bool, bool, bool, bool, usize) {
    let semaphore = std::sync::Arc::new(sync::Semaphore::new(0));
    let mut waits = polled(semaphore.acquire());
    let mut owned = polled(semaphore.clone().acquire_owned());
    assert!(waits.is_pending() && owned.is_pending());
    semaphore.close();
    semaphore.add_permits(5);
    (
        waits.poll().unwrap().is_err(),
        owned.poll().unwrap().is_err(),
        matches!(semaphore.try_acquire(), Err(sync::TryAcquireError::Closed)),
        polled(semaphore.acquire()).poll().unwrap().is_err() && semaphore.is_closed(),
        semaphore.available_permits(),
    )
} }

like_tokio! { permits_split_and_merge -> (usize, usize, usize, bool) {
    let semaphore = std::sync::Arc::new(sync::Semaphore::new(5));
    let mut permit = semaphore.clone().try_acquire_many_owned(4).unwrap();
    let part = permit.split(3).unwrap();
    let too_many = permit.split(2).is_none();
    let counts = (permit.num_permits(), part.num_permits());
    permit.merge(part);
    drop(permit);
    (counts.0, counts.1, semaphore.available_permits(), too_many)
} }

// ---- mutex ----

like_tokio! { a_mutex_is_held_by_one -> (bool, bool, i32) {
    let mutex = std::sync::Arc::new(sync::Mutex::new(1));
    let mut guard = mutex.try_lock().unwrap();
    *guard += 1;
    let refused = mutex.try_lock().is_err() && mutex.clone().try_lock_owned().is_err();
    let mut waits = polled(mutex.lock());
    let waited = waits.is_pending();
    drop(guard);
    *waits.poll().unwrap() += 1;
    drop(waits);
    let value = *block_on(mutex.clone().lock_owned());
    (refused, waited, value)
} }

like_tokio! { a_mutex_that_is_handed_over_cannot_be_tried -> (bool, bool) {
    let mutex = sync::Mutex::new(());
    let guard = mutex.try_lock().unwrap();
    let mut waits = polled(mutex.lock());
    assert!(waits.is_pending());
    drop(guard);
    // It belongs to who waits, polled or not.
    let tried = mutex.try_lock().is_err();
    drop(waits);
    (tried, mutex.try_lock().is_ok())
} }

like_tokio! { a_mutex_gives_its_value_back -> (i32, i32, String) {
    let mut mutex = sync::Mutex::new(1);
    *mutex.get_mut() += 1;
    let shown = format!("{:?} {}", mutex.try_lock().unwrap(), mutex.try_lock().is_ok());
    let seen = *mutex.blocking_lock();
    (seen, mutex.into_inner(), shown)
} }

like_tokio! { tasks_count_under_a_mutex -> i32 {
    let mutex = std::sync::Arc::new(sync::Mutex::new(0));
    let tasks = [0, 1].map(|_| {
        let mutex = mutex.clone();
        spawn(async move {
            let mut value = mutex.lock().await;
            let seen = *value;
            *value = seen + 1;
        })
    });
    block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    std::sync::Arc::into_inner(mutex).unwrap().into_inner()
} }

// ---- rwlock ----

like_tokio! { a_rwlock_has_many_readers_or_one_writer -> Vec<bool> {
    let lock = sync::RwLock::new(0);
    let one = lock.try_read().unwrap();
    let two = lock.try_read().unwrap();
    let mut seen = vec![lock.try_write().is_err()];
    drop((one, two));
    let mut write = lock.try_write().unwrap();
    *write += 1;
    seen.extend([lock.try_read().is_err(), lock.try_write().is_err()]);
    let read = write.downgrade();
    seen.extend([lock.try_read().is_ok(), lock.try_write().is_err(), *read == 1]);
    drop(read);
    seen.push(lock.try_write().is_ok());
    seen
} }

like_tokio! { a_reader_does_not_pass_a_waiting_writer -> Vec<bool> {
    let lock = std::sync::Arc::new(sync::RwLock::new(0));
    let reads = lock.try_read().unwrap();
    let mut writer = polled(lock.clone().write_owned());
    let mut reader = polled(lock.read());
    let mut seen = vec![writer.is_pending(), reader.is_pending(), lock.try_read().is_err()];
    drop(reads);
    seen.push(reader.is_pending());
    let written = writer.poll();
    seen.extend([written.is_some(), reader.is_pending()]);
    drop(written);
    seen.push(reader.poll().is_some());
    seen
} }

like_tokio! { a_writer_that_gives_up_lets_readers_in -> (bool, bool, i32) {
    let mut lock = sync::RwLock::new(7);
    let reads = lock.try_read().unwrap();
    let mut writer = polled(lock.write());
    let mut reader = polled(lock.read());
    assert!(writer.is_pending());
    let waited = reader.is_pending();
    drop(writer);
    let let_in = reader.poll().is_some();
    drop((reader, reads));
    *lock.get_mut() += 1;
    (waited, let_in, lock.into_inner())
} }

// ---- notify ----

like_tokio! { one_notification_is_kept_and_no_more -> Vec<bool> {
    let notify = sync::Notify::new();
    notify.notify_one();
    notify.notify_one();
    let mut seen = vec![polled(notify.notified()).poll().is_some()];
    let mut second = polled(notify.notified());
    seen.push(second.is_pending());
    notify.notify_one();
    seen.push(second.poll().is_some());
    seen
} }

like_tokio! { notify_waiters_reaches_who_was_made_before_and_is_not_kept -> Vec<bool> {
    let notify = sync::Notify::new();
    let mut waits = polled(notify.notified());
    let mut made = polled(notify.notified());
    let mut seen = vec![waits.is_pending()];
    notify.notify_waiters();
    let mut late = polled(notify.notified());
    seen.extend([waits.poll().is_some(), made.poll().is_some(), late.is_pending()]);
    seen
} }

like_tokio! { a_dropped_notified_gives_the_notification_on -> Vec<bool> {
    let notify = sync::Notify::new();
    let mut first = polled(notify.notified());
    let mut second = polled(notify.notified());
    let mut seen = vec![first.is_pending(), second.is_pending()];
    notify.notify_one();
    drop(first);
    seen.push(second.poll().is_some());
    // One that was for all is not given on.
    let mut third = polled(notify.notified());
    seen.push(third.is_pending());
    notify.notify_waiters();
    drop(third);
    seen.push(polled(notify.notified()).is_pending());
    seen
} }

like_tokio! { notified_first_come_first_served_or_last -> Vec<bool> {
    let notify = sync::Notify::new();
    let mut waits = [0, 1, 2].map(|_| polled(notify.notified()));
    let mut seen: Vec<bool> = waits.iter_mut().map(|wait| wait.is_pending()).collect();
    notify.notify_one();
    notify.notify_last();
    seen.extend(waits.iter_mut().map(|wait| wait.poll().is_some()));
    seen
} }

like_tokio! { an_enabled_notified_waits_without_a_poll -> Vec<bool> {
    let notify = sync::Notify::new();
    let mut enabled = std::pin::pin!(notify.notified());
    let mut seen = vec![enabled.as_mut().enable()];
    notify.notify_one();
    let mut other = polled(notify.notified());
    seen.push(other.is_pending());
    seen.push(enabled.as_mut().enable());
    seen.push(enabled.poll(&mut Context::from_waker(Waker::noop())).is_ready());
    seen
} }

// ---- barrier and once cell ----

like_tokio! { a_barrier_lets_all_go_and_has_one_leader_each_time -> (u32, u32) {
    let barrier = std::sync::Arc::new(sync::Barrier::new(2));
    let other = barrier.clone();
    let wait = |barrier: std::sync::Arc<sync::Barrier>| async move {
        let mut led = (0, 0);
        led.0 += u32::from(barrier.wait().await.is_leader());
        led.1 += u32::from(barrier.wait().await.is_leader());
        led
    };
    let task = spawn(wait(other));
    let mine = block_on(wait(barrier));
    let others = block_on(task).unwrap();
    (mine.0 + others.0, mine.1 + others.1)
} }

like_tokio! { a_once_cell_is_set_once -> (Option<i32>, Vec<i32>, bool, Option<i32>) {
    let mut cell = sync::OnceCell::new();
    let before = cell.get().copied();
    let failed = block_on(cell.get_or_try_init(async || Err::<i32, ()>(()))).is_err();
    let mut values = vec![*block_on(cell.get_or_init(async || 1))];
    values.push(*block_on(cell.get_or_init(async || 2)));
    let refused = matches!(cell.set(3), Err(sync::SetError::AlreadyInitializedError(3)));
    *cell.get_mut().unwrap() += 10;
    values.push(*cell.get().unwrap());
    let taken = cell.take();
    assert!(!cell.initialized() && cell.set(5).is_ok());
    values.push(cell.into_inner().unwrap());
    (before, values, failed && refused, taken)
} }

like_tokio! { a_once_cell_waits_for_who_sets_it_and_takes_over_if_that_fails -> (bool, bool, i32) {
    let cell = sync::OnceCell::new();
    let mut first = polled(cell.get_or_init(std::future::pending::<i32>));
    let mut second = polled(cell.get_or_init(async || 2));
    assert!(first.is_pending());
    let waits = second.is_pending();
    let refused = matches!(cell.set(3), Err(sync::SetError::InitializingError(3)));
    drop(first);
    (waits, refused, *second.poll().unwrap())
} }
