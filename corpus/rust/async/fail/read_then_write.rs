// A reader that becomes a writer. Both read, both wait to write, and neither lets go of what it
// reads.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/read_then_write.rs

pub fn read_then_write() {
    let lock = Arc::new(RwLock::new(0));
    let tasks = [0, 1].map(|_| {
        let lock = Arc::clone(&lock);
        spawn(async move {
            let seen = lock.read().await;
            if *seen == 0 {
                *lock.write().await = 1;
            }
        })
    });
    for task in tasks {
        block_on(task).unwrap();
    }
}
