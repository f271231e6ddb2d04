// A message announced by a Release store and found by an Acquire load.
// origin: folklore
// verdict: verified
// twin: fail/message_relaxed_store.rs

pub fn message_relaxed_store() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            ready.store(true, Release);
        });
        s.spawn(|| {
            if ready.load(Acquire) {
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
