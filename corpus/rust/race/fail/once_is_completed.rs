// A flag beside the Once. It is set by the closure of call_once, and too early; the reader
// trusts it.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/once_is_completed.rs

pub fn once_is_completed() {
    let (once, pair) = (Once::new(), Pair::new());
    let begun = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            once.call_once(|| {
                begun.store(true, SeqCst);
                pair.write(1); // race
            });
        });
        s.spawn(|| {
            if begun.load(SeqCst) {
                pair.read(); // race
            }
        });
    });
}
