// The last one out, by a countdown with AcqRel.
// origin: folklore
// verdict: verified
// twin: fail/rmw_relaxed_gate.rs

pub fn rmw_relaxed_gate() {
    let (parts, left) = ([Plain::new(0), Plain::new(0)], AtomicUsize::new(2));
    let task = |me: usize| {
        parts[me].set(me + 1);
        if left.fetch_sub(1, AcqRel) == 1 {
            let sum = parts[0].get() + parts[1].get();
            assert_eq!(sum, 3);
        }
    };
    thread::scope(|s| {
        s.spawn(|| task(0));
        s.spawn(|| task(1));
    });
}
