// A write under the write lock. Writers exclude each other.
// origin: folklore
// verdict: verified
// twin: fail/rwlock_write_under_read.rs

pub fn rwlock_write_under_read() {
    let (lock, counter) = (RwLock::new(()), Plain::new(0));
    let task = || {
        let _guard = lock.write().unwrap();
        counter.increment();
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
