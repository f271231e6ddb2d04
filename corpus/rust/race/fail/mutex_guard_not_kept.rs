// A guard that is not kept. `let _ =` drops the guard at once, so the increment that follows is
// not under the mutex.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/mutex_guard_not_kept.rs

pub fn mutex_guard_not_kept() {
    let (lock, counter) = (Mutex::new(()), Plain::new(0));
    let task = || {
        let _ = lock.lock().unwrap();
        counter.increment(); // race
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
