// A lock given back with a Relaxed store. Whoever takes it next acquires nothing. (A task that
// finds the lock taken goes away instead of spinning, so that the program ends.)
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/spin_lock_relaxed_unlock.rs

pub fn spin_lock_relaxed_unlock() {
    let (locked, counter, entries) = (AtomicBool::new(false), Plain::new(0), AtomicUsize::new(0));
    let task = || {
        if !locked.swap(true, Acquire) {
            entries.fetch_add(1, Relaxed);
            counter.increment(); // race
            locked.store(false, Relaxed);
        }
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), entries.load(Relaxed), "an increment was lost");
}
