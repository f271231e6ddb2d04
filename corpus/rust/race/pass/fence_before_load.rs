// A SeqCst fence after the load acquires as well as an acquire fence does, and one before the
// store releases.
// origin: folklore
// verdict: verified
// twin: fail/fence_before_load.rs

pub fn fence_before_load() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            fence(SeqCst);
            ready.store(true, Relaxed);
        });
        s.spawn(|| {
            if ready.load(Relaxed) {
                fence(SeqCst);
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
