// A release sequence that a store breaks. The second task advances the stage by a plain store,
// which is no part of the sequence that the Release store heads, and does not even need it: the
// third task can read while the first still writes.
// origin: C++20, [intro.races]
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/release_sequence_store.rs

pub fn release_sequence_store() {
    let (pair, stage) = (Pair::new(), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            stage.store(1, Release);
        });
        s.spawn(|| {
            stage.store(2, Relaxed);
        });
        s.spawn(|| {
            if stage.load(Acquire) == 2 {
                pair.read(); // race
            }
        });
    });
}
