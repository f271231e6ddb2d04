// A failed try_lock is heeded. A task that has not got the mutex leaves the counter alone.
// origin: folklore
// verdict: verified
// twin: fail/mutex_try_lock_ignored.rs

pub fn mutex_try_lock_ignored() {
    let (lock, counter, refused) = (Mutex::new(()), Plain::new(0), AtomicUsize::new(0));
    let task = || {
        let guard = lock.try_lock();
        if guard.is_err() {
            refused.fetch_add(1, Relaxed);
            return;
        }
        counter.increment();
        drop(guard);
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get() + refused.load(Relaxed), 2, "an increment was lost");
}
