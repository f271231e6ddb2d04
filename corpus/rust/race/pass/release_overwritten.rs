// A release followed by a read-modify-write of its own task, which belongs to the release
// sequence whatever its ordering.
// origin: C++20, [intro.races]
// verdict: verified
// twin: fail/release_overwritten.rs

pub fn release_overwritten() {
    let (pair, stage) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            stage.store(1, Release);
            stage.fetch_add(1, Relaxed);
        });
        s.spawn(|| {
            if stage.load(Acquire) == 2 {
                let seen = pair.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
