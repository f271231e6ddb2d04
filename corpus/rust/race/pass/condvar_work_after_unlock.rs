// Woken, with the mutex. wait gives the mutex back locked, and each task keeps it while it
// counts itself.
// origin: folklore
// verdict: verified
// twin: fail/condvar_work_after_unlock.rs

pub fn condvar_work_after_unlock() {
    let (started, starts, counter) = (Mutex::new(false), Condvar::new(), Plain::new(0));
    let task = || {
        let mut guard = started.lock().unwrap();
        while !*guard {
            guard = starts.wait(guard).unwrap();
        }
        counter.increment();
        drop(guard);
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
        *started.lock().unwrap() = true;
        starts.notify_all();
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
