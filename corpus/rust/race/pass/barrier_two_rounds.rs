// A barrier after each phase. Each round orders what came before it, and tells the phases
// apart.
// origin: folklore
// verdict: verified
// twin: fail/barrier_two_rounds.rs

pub fn barrier_two_rounds() {
    let (barrier, pair) = (Barrier::new(2), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            barrier.wait();
            pair.write(1);
            barrier.wait();
        });
        pair.read();
        barrier.wait();
        barrier.wait();
        pair.read();
    });
}
