// A message announced by a Relaxed store. The reader loads the flag with Acquire, but there is
// no release that it could synchronise with.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/message_relaxed_store.rs

pub fn message_relaxed_store() {
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
