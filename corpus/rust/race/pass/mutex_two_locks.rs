// One mutex for one counter. Both tasks lock the same mutex.
// origin: folklore
// verdict: verified
// twin: fail/mutex_two_locks.rs

pub fn mutex_two_locks() {
    let (lock, counter) = (Mutex::new(()), Plain::new(0));
    let task = |lock: &Mutex<()>| {
        let _guard = lock.lock().unwrap();
        counter.increment();
    };
    thread::scope(|s| {
        s.spawn(|| task(&lock));
        s.spawn(|| task(&lock));
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
