// Join, then lock. The main task joins the worker that adds to the total, and only then locks the
// total. It holds nothing while it waits.
// origin: folklore
// verdict: verified, 1 executions
// preemptions: 3, 1 executions
// delays rr: 3, 1 executions
// delays dfs: 3, 1 executions
// twin: fail/join_deadlock.rs

pub fn join_deadlock() {
    let total = Arc::new(Mutex::new(0));
    let worker = {
        let total = total.clone();
        thread::spawn(move || *total.lock().unwrap() += 1)
    };
    worker.join().unwrap();
    let total = total.lock().unwrap();
    assert_eq!(*total, 1, "the worker's addition is missing");
}
