// Written before the barrier: ordered before everything that any task does after it.
// origin: folklore
// verdict: verified
// twin: fail/barrier_write_after.rs

pub fn barrier_write_after() {
    let (barrier, pair) = (Barrier::new(2), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            barrier.wait();
        });
        s.spawn(|| {
            barrier.wait();
            pair.read();
        });
    });
}
