// A message found by an Acquire load of what a Release store has written.
// origin: folklore
// verdict: verified
// twin: fail/message_relaxed_load.rs

pub fn message_relaxed_load() {
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
