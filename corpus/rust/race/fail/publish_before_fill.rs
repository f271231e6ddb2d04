// Published first, filled afterwards. The Release store comes before what it should release.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/publish_before_fill.rs

pub fn publish_before_fill() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            ready.store(true, Release);
            pair.write(1); // race
        });
        s.spawn(|| {
            if ready.load(Acquire) {
                pair.read(); // race
            }
        });
    });
}
