// The last one out, by a Relaxed countdown. Two tasks each fill a part; whoever counts down to
// zero adds the parts up. Relaxed read-modify-writes of one atomic order nothing.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/rmw_relaxed_gate.rs

pub fn rmw_relaxed_gate() {
    let (parts, left) = ([Plain::new(0), Plain::new(0)], AtomicUsize::new(2));
    let task = |me: usize| {
        parts[me].set(me + 1); // race
        if left.fetch_sub(1, Relaxed) == 1 {
            let sum = parts[0].get() + parts[1].get(); // race
            assert_eq!(sum, 3);
        }
    };
    thread::scope(|s| {
        s.spawn(|| task(0));
        s.spawn(|| task(1));
    });
}
