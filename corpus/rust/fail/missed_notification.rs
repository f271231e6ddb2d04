// Missed notification. One task waits on a condition variable without asking whether there is still
// anything to wait for; the other sets the flag and notifies once. If the notification comes first,
// nobody is there to hear it, and the wait never ends.
// origin: folklore
// verdict: bug deadlock
// faults: 0
// preemptions: 0, 2 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 2 executions
// twin: pass/missed_notification.rs

pub fn missed_notification() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let waiter = {
        let shared = shared.clone();
        thread::spawn(move || {
            let (ready, changed) = &*shared;
            let guard = ready.lock().unwrap();
            // The flag may be set already.
            let guard = changed.wait(guard).unwrap();
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
