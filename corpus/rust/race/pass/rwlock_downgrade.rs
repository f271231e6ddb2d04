// Written before the write lock is turned into a read lock: ordered before every reader that
// comes then.
// origin: folklore
// verdict: verified
// twin: fail/rwlock_downgrade.rs

pub fn rwlock_downgrade() {
    let (lock, pair) = (RwLock::new(()), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            let guard = lock.write().unwrap();
            pair.write(1);
            let _guard = caissa::sync::RwLockWriteGuard::downgrade(guard);
        });
        s.spawn(|| {
            let _guard = lock.read().unwrap();
            pair.read();
        });
    });
}
