// A claim that releases and does not acquire. The first task fills the pair and offers it; the
// second claims it by a compare_exchange that is only Release when it succeeds.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/cas_success_release_only.rs

pub fn cas_success_release_only() {
    let (pair, state) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            state.store(1, Release);
        });
        s.spawn(|| {
            if state.compare_exchange(1, 2, Release, Relaxed).is_ok() {
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
