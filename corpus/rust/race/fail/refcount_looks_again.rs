// A reference count that is looked at again. Each owner decrements, then loads the count to see
// whether it was the last. Both can find 0, and both destroy.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, destroyed twice
// promoted: 1
// twin: pass/refcount_looks_again.rs

pub fn refcount_looks_again() {
    let (destroyed, count) = (Plain::new(0), AtomicUsize::new(2));
    let owner = || {
        count.fetch_sub(1, AcqRel);
        if count.load(Acquire) == 0 {
            destroyed.increment(); // race
        }
    };
    thread::scope(|s| {
        s.spawn(owner);
        s.spawn(owner);
    });
    assert_eq!(destroyed.get(), 1, "destroyed twice");
}
