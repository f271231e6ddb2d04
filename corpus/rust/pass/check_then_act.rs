// Check and act at once. Two workers look for the only job and take it in the same critical
// section. One of them gets it, the other sees that there is none.
// origin: folklore
// verdict: verified, 39 executions
// preemptions: 3, 33 executions
// delays rr: 3, 29 executions
// delays dfs: 3, 31 executions
// twin: fail/check_then_act.rs

pub fn check_then_act() {
    let job = Arc::new(Mutex::new(Some(7)));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let job = job.clone();
            thread::spawn(move || {
                let taken = job.lock().unwrap().take();
                taken.unwrap_or(0)
            })
        })
        .collect();
    let done: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
    assert_eq!(done, 7, "the job was not done exactly once");
}
