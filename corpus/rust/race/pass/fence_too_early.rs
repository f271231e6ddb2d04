// A release fence between the write and the store, and an acquire fence between the load and
// the read.
// origin: folklore
// verdict: verified
// twin: fail/fence_too_early.rs

pub fn fence_too_early() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            fence(Release);
            ready.store(true, Relaxed);
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
