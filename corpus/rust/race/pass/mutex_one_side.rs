// Locked on both sides. Two tasks increment a plain counter, both with the mutex held.
// origin: folklore
// verdict: verified
// twin: fail/mutex_one_side.rs

pub fn mutex_one_side() {
    let (lock, counter) = (Mutex::new(()), Plain::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            let _guard = lock.lock().unwrap();
            counter.increment();
        });
        s.spawn(|| {
            let _guard = lock.lock().unwrap();
            counter.increment();
        });
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
