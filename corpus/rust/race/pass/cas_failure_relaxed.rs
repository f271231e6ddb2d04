// A failed compare_exchange that acquires: a load with the ordering named for failure.
// origin: folklore
// verdict: verified
// twin: fail/cas_failure_relaxed.rs

pub fn cas_failure_relaxed() {
    let (pair, state) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            state.store(1, Release);
        });
        s.spawn(|| {
            if state.compare_exchange(0, 2, AcqRel, Acquire) == Err(1) {
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
