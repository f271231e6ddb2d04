// A reference count whose decrement tells who was the last.
// origin: folklore
// verdict: verified
// twin: fail/refcount_looks_again.rs

pub fn refcount_looks_again() {
    let (destroyed, count) = (Plain::new(0), AtomicUsize::new(2));
    let owner = || {
        if count.fetch_sub(1, AcqRel) == 1 {
            destroyed.increment();
        }
    };
    thread::scope(|s| {
        s.spawn(owner);
        s.spawn(owner);
    });
    assert_eq!(destroyed.get(), 1, "destroyed twice");
}
