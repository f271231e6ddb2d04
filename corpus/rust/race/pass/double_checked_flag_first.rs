// Double-checked initialisation that sets its flag last.
// origin: Bacon et al. 2000, the double-checked locking declaration
// verdict: verified
// twin: fail/double_checked_flag_first.rs

pub fn double_checked_flag_first() {
    let (lock, made, value) = (Mutex::new(()), AtomicBool::new(false), Plain::new(0));
    let user = || {
        if !made.load(Acquire) {
            let _guard = lock.lock().unwrap();
            if !made.load(Relaxed) {
                value.set(1);
                made.store(true, Release);
            }
        }
        let seen = value.get();
        assert_eq!(seen, 1, "used before it was made");
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
}
