// Woken, and too late. Two tasks wait for a start and give the mutex back before they count
// themselves.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/condvar_work_after_unlock.rs

pub fn condvar_work_after_unlock() {
    let (started, starts, counter) = (Mutex::new(false), Condvar::new(), Plain::new(0));
    let task = || {
        let mut guard = started.lock().unwrap();
        while !*guard {
            guard = starts.wait(guard).unwrap();
        }
        drop(guard);
        counter.increment(); // race
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
        *started.lock().unwrap() = true;
        starts.notify_all();
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
