// A release overwritten by its own task. Since C++20 a later Relaxed store of the same task is
// no part of the release sequence either: whoever reads it acquires nothing.
// origin: C++20, [intro.races]
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/release_overwritten.rs

pub fn release_overwritten() {
    let (pair, stage) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            stage.store(1, Release);
            stage.store(2, Relaxed);
        });
        s.spawn(|| {
            if stage.load(Acquire) == 2 {
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
