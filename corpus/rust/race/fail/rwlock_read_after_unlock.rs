// A read after the read lock was given back. A writer that comes next is not ordered after it.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/rwlock_read_after_unlock.rs

pub fn rwlock_read_after_unlock() {
    let (lock, pair) = (RwLock::new(()), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            let guard = lock.read().unwrap();
            drop(guard);
            pair.read(); // race
        });
        s.spawn(|| {
            let _guard = lock.write().unwrap();
            pair.write(1); // race
        });
    });
}
