// A failed compare_exchange that does not acquire. The second task finds that the first was
// there, by a compare_exchange that is Relaxed when it fails, and reads what the first has
// written.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/cas_failure_relaxed.rs

pub fn cas_failure_relaxed() {
    let (pair, state) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            state.store(1, Release);
        });
        s.spawn(|| {
            if state.compare_exchange(0, 2, AcqRel, Relaxed) == Err(1) {
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
