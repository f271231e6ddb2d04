// Mutex increments, torn (a). Two tasks increment a counter three times each, but read it under one
// acquisition of the lock and write it under the next. Each access is protected, the increment is
// not: a preemption between the two acquisitions loses the other task's increments.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 4 executions
// twin: pass/mutex_increments.rs

pub fn mutex_increments() {
    let counter = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..3 {
                    let seen = *counter.lock().unwrap();
                    // The lock is free here.
                    *counter.lock().unwrap() = seen + 1;
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(*counter.lock().unwrap(), 6, "an increment was lost");
}
