// A lock that is tested, then set. Two tasks can both find it free. (Whoever finds it taken
// goes away.)
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, an increment was lost
// promoted: 2
// twin: pass/spin_lock_test_then_set.rs

pub fn spin_lock_test_then_set() {
    let (locked, counter, entries) = (AtomicBool::new(false), Plain::new(0), AtomicUsize::new(0));
    let task = || {
        if locked.load(Acquire) {
            return;
        }
        locked.store(true, Relaxed);
        entries.fetch_add(1, Relaxed);
        counter.increment(); // race
        locked.store(false, Release);
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), entries.load(Relaxed), "an increment was lost");
}
