// A barrier of the wrong size. Whoever counted the tasks forgot that the one that spawns them does
// not wait there.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/barrier_of_the_wrong_size.rs

pub fn barrier_of_the_wrong_size() {
    let barrier = Arc::new(Barrier::new(3));
    let tasks = [0, 1].map(|_| {
        let barrier = Arc::clone(&barrier);
        spawn(async move { barrier.wait().await.is_leader() })
    });
    for task in tasks {
        block_on(task).unwrap();
    }
}
