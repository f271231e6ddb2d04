// One notification for two. `notify_one` is kept only once: if both are told before anyone waits,
// one of them waits for ever.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 2, 14 executions
// twin: pass/one_notification_for_two.rs

pub fn one_notification_for_two() {
    let start = Arc::new(Notify::new());
    let tasks = [0, 1].map(|_| {
        let start = Arc::clone(&start);
        spawn(async move { start.notified().await })
    });
    start.notify_one();
    start.notify_one();
    for task in tasks {
        block_on(task).unwrap();
    }
}
