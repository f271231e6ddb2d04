// One barrier for two phases. What is written in the second phase is read in it too.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/barrier_two_rounds.rs

pub fn barrier_two_rounds() {
    let (barrier, pair) = (Barrier::new(2), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            barrier.wait();
            pair.write(1); // race
        });
        pair.read();
        barrier.wait();
        pair.read(); // race
    });
}
