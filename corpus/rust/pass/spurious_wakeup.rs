// Wait in a loop. One task waits on a condition variable as long as the flag is not set; the other sets the
// flag and notifies. A wait that ends for no reason is followed by another one.
// origin: folklore
// verdict: verified, 33 executions
// preemptions: 3, 29 executions
// delays rr: 3, 25 executions
// delays dfs: 3, 19 executions
// twin: fail/spurious_wakeup.rs

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
    while !*set {
        set = shared.1.wait(set).unwrap();
    }
    assert!(*set, "the wait ended before the flag was set");
    drop(set);
    setter.join().unwrap();
}
