// Wait without a loop. One task waits on a condition variable once, if the flag is not set, and then relies
// on it; the other sets the flag and notifies. A wait may end for no reason, and then the flag is
// still not set.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 2 executions
// delays rr: 0, 2 executions
// delays dfs: 1, 3 executions
// twin: pass/spurious_wakeup.rs

pub fn spurious_wakeup() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let setter = {
        let shared = shared.clone();
        thread::spawn(move || {
            *shared.0.lock().unwrap() = true;
            shared.1.notify_one();
        })
    };
    let mut set = shared.0.lock().unwrap();
    if !*set {
        set = shared.1.wait(set).unwrap();
    }
    assert!(*set, "the wait ended before the flag was set");
    drop(set);
    setter.join().unwrap();
}
