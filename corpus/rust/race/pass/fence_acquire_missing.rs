// An acquire fence after a Relaxed load: together they are an acquire.
// origin: folklore
// verdict: verified
// twin: fail/fence_acquire_missing.rs

pub fn fence_acquire_missing() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            ready.store(true, Release);
        });
        s.spawn(|| {
            if ready.load(Relaxed) {
                fence(Acquire);
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
