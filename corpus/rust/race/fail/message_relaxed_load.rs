// A message found by a Relaxed load. The writer announces it with Release, but the reader does
// not acquire.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/message_relaxed_load.rs

pub fn message_relaxed_load() {
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
