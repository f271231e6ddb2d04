// A read under the read lock. A writer comes before it or after it: what the last reader does
// until it unlocks is ordered before the next writer.
// origin: folklore
// verdict: verified
// twin: fail/rwlock_read_after_unlock.rs

pub fn rwlock_read_after_unlock() {
    let (lock, pair) = (RwLock::new(()), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            let guard = lock.read().unwrap();
            pair.read();
            drop(guard);
        });
        s.spawn(|| {
            let _guard = lock.write().unwrap();
            pair.write(1);
        });
    });
}
