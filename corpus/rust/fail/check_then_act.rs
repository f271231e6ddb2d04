// Check, then act. Two workers look for the only job; a worker that sees one locks again to take
// it. A worker preempted between the two acquisitions finds the job gone.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 4 executions
// twin: pass/check_then_act.rs

pub fn check_then_act() {
    let job = Arc::new(Mutex::new(Some(7)));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let job = job.clone();
            thread::spawn(move || {
                if job.lock().unwrap().is_none() {
                    return 0;
                }
                // The lock is free here.
                let taken = job.lock().unwrap().take();
                taken.expect("the job has been taken by another worker")
            })
        })
        .collect();
    let done: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
    assert_eq!(done, 7, "the job was not done exactly once");
}
