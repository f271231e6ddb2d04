// The lock for reading is released first, and what it showed is looked at again.
// origin: folklore
// verdict: verified, 127654 executions
// preemptions: 2, 204 executions
// delays rr: 2, 67 executions
// delays dfs: 2, 55 executions
// twin: fail/read_then_write.rs

pub fn read_then_write() {
    let lock = Arc::new(RwLock::new(0));
    let tasks = [0, 1].map(|_| {
        let lock = Arc::clone(&lock);
        spawn(async move {
            let empty = *lock.read().await == 0;
            if empty {
                let mut value = lock.write().await;
                if *value == 0 {
                    *value = 1;
                }
            }
        })
    });
    for task in tasks {
        block_on(task).unwrap();
    }
    assert_eq!(*block_on(lock.read()), 1);
}
