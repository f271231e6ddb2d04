// A lock that is tested and set in one step.
// origin: folklore
// verdict: verified
// twin: fail/spin_lock_test_then_set.rs

pub fn spin_lock_test_then_set() {
    let (locked, counter, entries) = (AtomicBool::new(false), Plain::new(0), AtomicUsize::new(0));
    let task = || {
        if locked.swap(true, Acquire) {
            return;
        }
        entries.fetch_add(1, Relaxed);
        counter.increment();
        locked.store(false, Release);
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), entries.load(Relaxed), "an increment was lost");
}
