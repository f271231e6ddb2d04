// A release sequence through a read-modify-write. The second task advances the stage by a
// Relaxed fetch_add. Whoever acquires what it wrote synchronises with the Release store before
// it.
// origin: C++20, [intro.races]
// verdict: verified
// twin: fail/release_sequence_store.rs

pub fn release_sequence_store() {
    let (pair, stage) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            stage.store(1, Release);
        });
        s.spawn(|| {
            stage.fetch_add(1, Relaxed);
        });
        s.spawn(|| {
            if stage.load(Acquire) == 2 {
                pair.read();
            }
        });
    });
}
