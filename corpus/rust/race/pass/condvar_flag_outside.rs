// The flag of a condition variable is changed under its mutex.
// origin: folklore
// verdict: verified
// twin: fail/condvar_flag_outside.rs

pub fn condvar_flag_outside() {
    let (lock, opened, open) = (Mutex::new(()), Condvar::new(), Plain::new(false));
    thread::scope(|s| {
        s.spawn(|| {
            let mut guard = lock.lock().unwrap();
            while !open.get() {
                guard = opened.wait(guard).unwrap();
            }
        });
        s.spawn(|| {
            let guard = lock.lock().unwrap();
            open.set(true);
            drop(guard);
            opened.notify_one();
        });
    });
}
