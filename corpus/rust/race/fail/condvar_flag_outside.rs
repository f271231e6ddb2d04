// The flag of a condition variable is changed without the mutex. The waiter reads it under the
// mutex, in a proper loop; the other task sets it without, and notifies. If that falls between
// the look and the wait, the notification is lost.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: deadlock
// promoted: 1
// twin: pass/condvar_flag_outside.rs

pub fn condvar_flag_outside() {
    let (lock, opened, open) = (Mutex::new(()), Condvar::new(), Plain::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            let mut guard = lock.lock().unwrap();
            while !open.get() { // race
                guard = opened.wait(guard).unwrap();
            }
        });
        s.spawn(|| {
            open.set(true); // race
            opened.notify_one();
        });
    });
}
