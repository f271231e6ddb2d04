//! Poison, panics, drops in an unusual order, leaks and deep recursion: the same code with std's types, with ours outside a check
//! and with ours under every schedule.

// ---- leaks ----

like_std! { a_guard_that_is_forgotten_keeps_its_lock -> (bool, bool, bool) {
    let (mutex, rwlock) = (sync::Mutex::new(0), sync::RwLock::new(0));
    std::mem::forget(mutex.lock().unwrap());
    std::mem::forget(rwlock.read().unwrap());
    let read = rwlock.try_read().is_ok();
    let write = rwlock.try_write().is_err();
    (mutex.try_lock().is_err(), read, write)
} }

like_std! { a_write_guard_that_is_forgotten_keeps_everyone_out -> (bool, bool, u32) {
    let mut rwlock = sync::RwLock::new(7);
    std::mem::forget(rwlock.write().unwrap());
    let read = rwlock.try_read().is_err();
    let write = rwlock.try_write().is_err();
    (read, write, *rwlock.get_mut().unwrap())
} }

like_std! { a_handle_that_is_forgotten_is_one_that_is_dropped -> u32 {
    let (sender, receiver) = sync::mpsc::channel();
    std::mem::forget(thread::spawn(move || sender.send(7).unwrap()));
    receiver.recv().unwrap()
} }

like_std! { a_sender_that_is_forgotten_keeps_its_channel_open -> (bool, bool) {
    use std::sync::mpsc::TryRecvError;
    let (sender, receiver) = sync::mpsc::channel::<u32>();
    let other = sender.clone();
    std::mem::forget(other);
    drop(sender);
    let (gone, closed) = sync::mpsc::channel::<u32>();
    drop(gone);
    (receiver.try_recv() == Err(TryRecvError::Empty), closed.try_recv() == Err(TryRecvError::Disconnected))
} }

like_std! { a_receiver_that_is_forgotten_still_counts -> (bool, bool) {
    let (sender, receiver) = sync::mpsc::sync_channel(1);
    std::mem::forget(receiver);
    (sender.send(1).is_ok(), sender.try_send(2).is_err())
} }

// ---- order ----

like_std! { guards_may_go_in_any_order -> (bool, bool, bool) {
    let locks = [sync::Mutex::new(1), sync::Mutex::new(2), sync::Mutex::new(3)];
    let [first, second, third] = [0, 1, 2].map(|n| locks[n].lock().unwrap());
    drop(first);
    let free = locks[0].try_lock().is_ok();
    drop(third);
    drop(second);
    (free, locks[1].try_lock().is_ok(), locks[2].try_lock().is_ok())
} }

like_std! { readers_may_go_in_any_order -> (bool, bool) {
    let lock = sync::RwLock::new(());
    let (first, second) = (lock.read().unwrap(), lock.read().unwrap());
    drop(first);
    let held = lock.try_write().is_err();
    drop(second);
    (held, lock.try_write().is_ok())
} }

like_std! { a_lock_may_go_before_its_neighbours_guard -> u32 {
    let kept = sync::Arc::new(sync::Mutex::new(5));
    let guard = kept.lock().unwrap();
    let other = sync::Arc::new(sync::Mutex::new(6));
    drop(other);
    *guard
} }

like_std! { ends_of_a_channel_may_go_in_any_order -> Vec<bool> {
    let (sender, receiver) = sync::mpsc::channel();
    let other = sender.clone();
    drop(sender);
    other.send(1).unwrap();
    drop(receiver);
    let refused = other.send(2).is_err();
    let (left, receiver) = sync::mpsc::channel();
    left.send(1).unwrap();
    drop(left);
    vec![refused, receiver.recv() == Ok(1), receiver.recv().is_err()]
} }

like_std! { handles_may_be_joined_in_any_order -> Vec<u32> {
    let handles: Vec<_> = (0..2u32).map(|n| thread::spawn(move || n)).collect();
    handles.into_iter().rev().map(|handle| handle.join().unwrap()).collect()
} }

// ---- panics ----

like_std! { a_panic_poisons_all_that_it_holds -> Vec<bool> {
    let locks = sync::Arc::new((sync::Mutex::new(()), sync::Mutex::new(()), sync::RwLock::new(())));
    let inside = sync::Arc::clone(&locks);
    let failed = thread::spawn(move || {
        drop(inside.0.lock().unwrap());
        let _held = (inside.1.lock().unwrap(), inside.2.write().unwrap());
        panic!("while it holds two of three");
    });
    let failed = failed.join().is_err();
    vec![failed, locks.0.is_poisoned(), locks.1.is_poisoned(), locks.2.is_poisoned()]
} }

like_std! { a_payload_comes_through_a_join -> (String, u32) {
    let word = "text".to_owned();
    let text = thread::spawn(move || panic!("some {word}")).join().unwrap_err();
    let number = thread::spawn(|| std::panic::panic_any(7u32)).join().unwrap_err();
    (text.downcast_ref::<String>().unwrap().clone(), *number.downcast_ref::<u32>().unwrap())
} }

like_std! { a_panic_that_is_caught_is_over -> (bool, u32, bool) {
    let lock = sync::Mutex::new(1);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _held = lock.lock().unwrap();
        panic!("caught below");
    }));
    let value = *lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    lock.clear_poison();
    (caught.is_err(), value, lock.lock().is_ok())
} }

like_std! { destructors_run_while_a_task_unwinds -> (Vec<u32>, bool) {
    struct Logs(sync::Arc<sync::Mutex<Vec<u32>>>, u32);
    impl Drop for Logs {
        fn drop(&mut self) {
            self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(self.1);
        }
    }
    let log = sync::Arc::new(sync::Mutex::new(Vec::new()));
    let inside = sync::Arc::clone(&log);
    let failed = thread::spawn(move || {
        let (_first, _second) = (Logs(sync::Arc::clone(&inside), 1), Logs(inside, 2));
        panic!("and both are dropped, the younger first");
    });
    let failed = failed.join().is_err();
    let order = log.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    (order, failed)
} }

like_std! { a_panic_while_a_once_lock_waits_lets_the_next_one_try -> (u32, bool) {
    let lock = sync::Arc::new(sync::OnceLock::new());
    let inside = sync::Arc::clone(&lock);
    let failed = thread::spawn(move || *inside.get_or_init(|| panic!("no value"))).join().is_err();
    (*lock.get_or_init(|| 8), failed)
} }

like_std! { timed_waits_of_a_task_that_unwinds_time_out -> (bool, bool) {
    struct Waits(sync::Arc<(sync::Mutex<()>, sync::Condvar)>, sync::mpsc::Receiver<u32>, sync::mpsc::Sender<bool>);
    impl Drop for Waits {
        fn drop(&mut self) {
            let tick = std::time::Duration::from_millis(1);
            let guard = self.0.0.lock().unwrap();
            let late = self.0.1.wait_timeout(guard, tick).unwrap().1.timed_out();
            thread::park_timeout(tick);
            thread::sleep(tick);
            let _ = self.2.send(late && self.1.recv_timeout(tick).is_err());
        }
    }
    let ((_keep, receiver), (sender, answer)) = (sync::mpsc::channel(), sync::mpsc::channel());
    let waits = Waits(sync::Arc::new((sync::Mutex::new(()), sync::Condvar::new())), receiver, sender);
    let failed = thread::spawn(move || {
        let _waits = waits;
        panic!("and its destructor waits");
    });
    (failed.join().is_err(), answer.recv().unwrap())
} }

// ---- depth ----

like_std! { a_task_can_recurse_deeply -> u64 {
    fn sum(n: u64, lock: &sync::Mutex<u64>) -> u64 {
        if n == 0 {
            return *lock.lock().unwrap();
        }
        std::hint::black_box(sum(n - 1, lock) + 1)
    }
    let lock = sync::Arc::new(sync::Mutex::new(7));
    let inside = sync::Arc::clone(&lock);
    thread::Builder::new().stack_size(8 << 20).spawn(move || sum(20_000, &inside)).unwrap().join().unwrap()
} }

like_std! { guards_can_be_held_deeply -> (u32, bool) {
    fn nested(locks: &[sync::Mutex<u32>]) -> u32 {
        match locks.split_first() {
            None => 0,
            Some((first, rest)) => {
                let guard = first.lock().unwrap();
                *guard + nested(rest)
            }
        }
    }
    let locks: Vec<_> = (0..200).map(|_| sync::Mutex::new(1)).collect();
    (nested(&locks), locks.iter().all(|lock| lock.try_lock().is_ok()))
} }

like_std! { scopes_nest_deeply -> u32 {
    fn nested(depth: u32) -> u32 {
        if depth == 0 {
            return 0;
        }
        thread::scope(|scope| scope.spawn(|| nested(depth - 1)).join().unwrap()) + 1
    }
    nested(20)
} }
