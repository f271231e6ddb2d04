// An acquire fence before the load instead of after it. What the load then reads is not
// acquired by any fence.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/fence_before_load.rs

pub fn fence_before_load() {
    let (pair, ready) = (Pair::new(), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            fence(SeqCst);
            ready.store(true, Relaxed);
        });
        s.spawn(|| {
            fence(SeqCst);
            if ready.load(Relaxed) {
                let seen = pair.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
