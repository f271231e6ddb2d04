// Entry that announces before it looks, as Dekker's algorithm does, with SeqCst. At most one of
// the two enters.
// origin: Dijkstra 1965, on Dekker
// verdict: verified
// twin: fail/seqcst_entry.rs

pub fn seqcst_entry() {
    let (inside, counter, entries) =
        ([AtomicBool::new(false), AtomicBool::new(false)], Plain::new(0), AtomicUsize::new(0));
    let task = |me: usize| {
        inside[me].store(true, SeqCst);
        let alone = !inside[1 - me].load(SeqCst);
        if alone {
            entries.fetch_add(1, Relaxed);
            counter.increment();
        }
    };
    thread::scope(|s| {
        s.spawn(|| task(0));
        s.spawn(|| task(1));
    });
    assert_eq!(counter.get(), entries.load(Relaxed), "an increment was lost");
}
