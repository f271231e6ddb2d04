// Two readers, and a writer that waits for one of them. The write is ordered after the first
// reader only.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/read_shared_then_write.rs

pub fn read_shared_then_write() {
    let (pair, done) = (Pair::new(), [AtomicBool::new(false), AtomicBool::new(false)]);
    let reader = |me: usize| {
        pair.read(); // race
        done[me].store(true, Release);
    };
    thread::scope(|s| {
        s.spawn(|| reader(0));
        s.spawn(|| reader(1));
        s.spawn(|| {
            if done[0].load(Acquire) {
                pair.write(1); // race
            }
        });
    });
}
