// Missed notification, fixed. One task waits on a condition variable for as long as a flag is not
// set; the other sets the flag and notifies once. The waiter looks at the flag under the lock: if
// the notification came first, the flag is set and it does not wait at all.
// origin: folklore
// verdict: verified, 225 executions
// preemptions: 3, 121 executions
// delays rr: 3, 69 executions
// delays dfs: 3, 77 executions
// twin: fail/missed_notification.rs

pub fn missed_notification() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let waiter = {
        let shared = shared.clone();
        thread::spawn(move || {
            let (ready, changed) = &*shared;
            let mut guard = ready.lock().unwrap();
            while !*guard {
                guard = changed.wait(guard).unwrap();
            }
            assert!(*guard, "the wait ended before the flag was set");
        })
    };
    let notifier = thread::spawn(move || {
        let (ready, changed) = &*shared;
        *ready.lock().unwrap() = true;
        changed.notify_one();
    });
    waiter.join().unwrap();
    notifier.join().unwrap();
}
