// No release fence before a Relaxed store. The reader acquires, but nothing was released.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/fence_release_missing.rs

pub fn fence_release_missing() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            ready.store(true, Relaxed);
        });
        s.spawn(|| {
            if ready.load(Acquire) {
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
