// A guard that is kept. `let _guard =` holds the mutex to the end of the block.
// origin: folklore
// verdict: verified
// twin: fail/mutex_guard_not_kept.rs

pub fn mutex_guard_not_kept() {
    let (lock, counter) = (Mutex::new(()), Plain::new(0));
    let task = || {
        let _guard = lock.lock().unwrap();
        counter.increment();
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
