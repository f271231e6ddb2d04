// A barrier for those who wait at it.
// origin: folklore
// verdict: verified, 1149 executions
// preemptions: 2, 92 executions
// delays rr: 2, 28 executions
// delays dfs: 2, 32 executions
// twin: fail/barrier_of_the_wrong_size.rs

pub fn barrier_of_the_wrong_size() {
    let barrier = Arc::new(Barrier::new(2));
    let tasks = [0, 1].map(|_| {
        let barrier = Arc::clone(&barrier);
        spawn(async move { barrier.wait().await.is_leader() })
    });
    let leaders = tasks.map(|task| u32::from(block_on(task).unwrap()));
    assert_eq!(leaders[0] + leaders[1], 1);
}
