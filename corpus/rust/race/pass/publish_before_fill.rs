// Filled first, published afterwards.
// origin: folklore
// verdict: verified
// twin: fail/publish_before_fill.rs

pub fn publish_before_fill() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            ready.store(true, Release);
        });
        s.spawn(|| {
            if ready.load(Acquire) {
                pair.read();
            }
        });
    });
}
