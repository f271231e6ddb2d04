// A release fence before a Relaxed store: together they are a release.
// origin: folklore
// verdict: verified
// twin: fail/fence_release_missing.rs

pub fn fence_release_missing() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            fence(Release);
            ready.store(true, Relaxed);
        });
        s.spawn(|| {
            if ready.load(Acquire) {
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
