// A write under the read lock. Readers do not exclude each other, so two tasks that hold the
// read lock may both increment.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/rwlock_write_under_read.rs

pub fn rwlock_write_under_read() {
    let (lock, counter) = (RwLock::new(()), Plain::new(0));
    let task = || {
        let _guard = lock.read().unwrap();
        counter.increment(); // race
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
