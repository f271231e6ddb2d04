// Written after the write lock was turned into a read lock: others may read.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/rwlock_downgrade.rs

pub fn rwlock_downgrade() {
    let (lock, pair) = (RwLock::new(()), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            let guard = lock.write().unwrap();
            let _guard = caissa::sync::RwLockWriteGuard::downgrade(guard);
            pair.write(1); // race
        });
        s.spawn(|| {
            let _guard = lock.read().unwrap();
            pair.read(); // race
        });
    });
}
