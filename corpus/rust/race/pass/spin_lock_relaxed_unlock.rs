// A lock given back with a Release store, taken with an Acquire swap.
// origin: folklore
// verdict: verified
// twin: fail/spin_lock_relaxed_unlock.rs

pub fn spin_lock_relaxed_unlock() {
    let (locked, counter, entries) = (AtomicBool::new(false), Plain::new(0), AtomicUsize::new(0));
    let task = || {
        if !locked.swap(true, Acquire) {
            entries.fetch_add(1, Relaxed);
            counter.increment();
            locked.store(false, Release);
        }
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), entries.load(Relaxed), "an increment was lost");
}
