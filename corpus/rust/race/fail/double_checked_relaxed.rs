// Double-checked initialisation with a Relaxed look. The second look is under the mutex; the
// first is not, and a task that it sends away has acquired nothing.
// origin: Bacon et al. 2000, the double-checked locking declaration
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/double_checked_relaxed.rs

pub fn double_checked_relaxed() {
    let (lock, made, value) = (Mutex::new(()), AtomicBool::new(false), Pair::new());
    let user = || {
        if !made.load(Relaxed) {
            let _guard = lock.lock().unwrap();
            if !made.load(Relaxed) {
                value.write(1); // race
                made.store(true, Release);
            }
        }
        let seen = value.read(); // race
        assert_eq!(seen, 1);
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
}
