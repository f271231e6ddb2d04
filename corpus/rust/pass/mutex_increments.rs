// Mutex increments (a). Two tasks increment a counter three times each, every increment within one
// critical section. The critical sections exclude each other, so all six increments count.
// origin: folklore
// verdict: verified, 703 executions
// preemptions: 3, 215 executions
// delays rr: 3, 167 executions
// delays dfs: 3, 194 executions
// twin: fail/mutex_increments.rs

pub fn mutex_increments() {
    let counter = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..3 {
                    *counter.lock().unwrap() += 1;
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(*counter.lock().unwrap(), 6, "an increment was lost");
}
