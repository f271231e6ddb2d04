// No acquire fence after a Relaxed load.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/fence_acquire_missing.rs

pub fn fence_acquire_missing() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            ready.store(true, Release);
        });
        s.spawn(|| {
            if ready.load(Relaxed) {
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
