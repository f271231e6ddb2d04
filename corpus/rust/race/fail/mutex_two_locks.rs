// Two mutexes for one counter. Each task locks, but each its own mutex, so nothing orders their
// increments.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/mutex_two_locks.rs

pub fn mutex_two_locks() {
    let (locks, counter) = ([Mutex::new(()), Mutex::new(())], Plain::new(0));
    let task = |lock: &Mutex<()>| {
        let _guard = lock.lock().unwrap();
        counter.increment(); // race
    };
    thread::scope(|s| {
        s.spawn(|| task(&locks[0]));
        s.spawn(|| task(&locks[1]));
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
