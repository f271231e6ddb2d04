// Written after the barrier, where others already read.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/barrier_write_after.rs

pub fn barrier_write_after() {
    let (barrier, pair) = (Barrier::new(2), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            barrier.wait();
            pair.write(1); // race
        });
        s.spawn(|| {
            barrier.wait();
            pair.read(); // race
        });
    });
}
