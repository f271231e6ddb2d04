// A semaphore counts.
// origin: folklore
// verdict: verified, 33152 executions
// preemptions: 2, 238 executions
// delays rr: 2, 58 executions
// delays dfs: 3, 245 executions
// twin: fail/one_notification_for_two.rs

pub fn one_notification_for_two() {
    let start = Arc::new(Semaphore::new(0));
    let tasks = [0, 1].map(|_| {
        let start = Arc::clone(&start);
        spawn(async move { start.acquire().await.unwrap().forget() })
    });
    start.add_permits(1);
    start.add_permits(1);
    for task in tasks {
        block_on(task).unwrap();
    }
}
