// A failed try_lock is ignored. The task increments whether it has got the mutex or not. While
// one task holds the mutex the other goes on without it.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/mutex_try_lock_ignored.rs

pub fn mutex_try_lock_ignored() {
    let (lock, counter, refused) = (Mutex::new(()), Plain::new(0), AtomicUsize::new(0));
    let task = || {
        let guard = lock.try_lock();
        counter.increment(); // race
        drop(guard);
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get() + refused.load(Relaxed), 2, "an increment was lost");
}
