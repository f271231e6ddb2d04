// Entry that looks before it announces. Each task looks whether the other is in, and only then
// says that it is. All is SeqCst, but both can find the other out.
// origin: Dijkstra 1965, on Dekker
// verdict: bug race
// preemptions: 1
// consequence: panic, an increment was lost
// promoted: 2
// twin: pass/seqcst_entry.rs

pub fn seqcst_entry() {
    let (inside, counter, entries) =
        ([AtomicBool::new(false), AtomicBool::new(false)], Plain::new(0), AtomicUsize::new(0));
    let task = |me: usize| {
        let alone = !inside[1 - me].load(SeqCst);
        inside[me].store(true, SeqCst);
        if alone {
            entries.fetch_add(1, Relaxed);
            counter.increment(); // race
        }
    };
    thread::scope(|s| {
        s.spawn(|| task(0));
        s.spawn(|| task(1));
    });
    assert_eq!(counter.get(), entries.load(Relaxed), "an increment was lost");
}
