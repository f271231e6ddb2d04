// Double-checked initialisation that sets its flag first. Who finds the flag set does not lock,
// and may find nothing made.
// origin: Bacon et al. 2000, the double-checked locking declaration
// verdict: bug race
// preemptions: 0
// consequence: panic, used before it was made
// promoted: 1
// twin: pass/double_checked_flag_first.rs

pub fn double_checked_flag_first() {
    let (lock, made, value) = (Mutex::new(()), AtomicBool::new(false), Plain::new(0));
    let user = || {
        if !made.load(Acquire) {
            let _guard = lock.lock().unwrap();
            if !made.load(Relaxed) {
                made.store(true, Release);
                value.set(1); // race
            }
        }
        let seen = value.get(); // race
        assert_eq!(seen, 1, "used before it was made");
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
}
