// The lock is not held across the await.
// origin: clippy's await_holding_lock
// verdict: verified, 10 executions
// preemptions: 2, 10 executions
// delays rr: 2, 7 executions
// delays dfs: 2, 7 executions
// twin: fail/blocking_lock_across_await.rs

pub fn blocking_lock_across_await() {
    block_on(async {
        let shared = Rc::new(SyncMutex::new(0));
        let tasks = [0, 1].map(|_| {
            let shared = Rc::clone(&shared);
            spawn_local(async move {
                yield_now().await;
                *shared.lock().unwrap() += 1;
            })
        });
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*shared.lock().unwrap(), 2);
    });
}
