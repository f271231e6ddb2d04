// Locked on one side. Two tasks increment a plain counter; one holds the mutex, the other does
// not bother.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/mutex_one_side.rs

pub fn mutex_one_side() {
    let (lock, counter) = (Mutex::new(()), Plain::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            let _guard = lock.lock().unwrap();
            counter.increment(); // race
        });
        s.spawn(|| {
            counter.increment(); // race
        });
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
