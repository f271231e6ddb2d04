// A release fence that comes too early. It stands before the write, so the store after it
// releases only what came before.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/fence_too_early.rs

pub fn fence_too_early() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            fence(Release);
            pair.write(1); // race
            ready.store(true, Relaxed);
        });
        s.spawn(|| {
            if ready.load(Relaxed) {
                fence(Acquire);
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
