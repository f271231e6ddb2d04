// Two readers, and a writer that waits for both of them.
// origin: folklore
// verdict: verified
// twin: fail/read_shared_then_write.rs

pub fn read_shared_then_write() {
    let (pair, done) = (Pair::new(), [AtomicBool::new(false), AtomicBool::new(false)]);
    let reader = |me: usize| {
        pair.read();
        done[me].store(true, Release);
    };
    thread::scope(|s| {
        s.spawn(|| reader(0));
        s.spawn(|| reader(1));
        s.spawn(|| {
            if done[0].load(Acquire) && done[1].load(Acquire) {
                pair.write(1);
            }
        });
    });
}
