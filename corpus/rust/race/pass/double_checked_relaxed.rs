// Double-checked initialisation with an Acquire look and a Release store.
// origin: Bacon et al. 2000, the double-checked locking declaration
// verdict: verified
// twin: fail/double_checked_relaxed.rs

pub fn double_checked_relaxed() {
    let (lock, made, value) = (Mutex::new(()), AtomicBool::new(false), Pair::new());
    let user = || {
        if !made.load(Acquire) {
            let _guard = lock.lock().unwrap();
            if !made.load(Relaxed) {
                value.write(1);
                made.store(true, Release);
            }
        }
        let seen = value.read();
        assert_eq!(seen, 1);
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
}
