// A claim that acquires: compare_exchange with Acquire for success.
// origin: folklore
// verdict: verified
// twin: fail/cas_success_release_only.rs

pub fn cas_success_release_only() {
    let (pair, state) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            state.store(1, Release);
        });
        s.spawn(|| {
            if state.compare_exchange(1, 2, Acquire, Relaxed).is_ok() {
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
