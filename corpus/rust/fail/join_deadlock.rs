// Join under a lock. The main task locks the total and then joins the worker that is to add to it.
// If the main task gets the lock first, each waits for the other.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// twin: pass/join_deadlock.rs

pub fn join_deadlock() {
    let total = Arc::new(Mutex::new(0));
    let worker = {
        let total = total.clone();
        thread::spawn(move || *total.lock().unwrap() += 1)
    };
    let total = total.lock().unwrap();
    worker.join().unwrap();
    assert_eq!(*total, 1, "the worker's addition is missing");
}
