// A blocking mutex held across an await. Two local tasks share a thread; one awaits with the lock
// held, the other blocks the thread on it, and the first one can never be polled again.
// origin: clippy's await_holding_lock
// verdict: bug deadlock
// preemptions: 1, 4 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// twin: pass/blocking_lock_across_await.rs

pub fn blocking_lock_across_await() {
    block_on(async {
        let shared = Rc::new(SyncMutex::new(0));
        let tasks = [0, 1].map(|_| {
            let shared = Rc::clone(&shared);
            spawn_local(async move {
                let mut value = shared.lock().unwrap();
                yield_now().await;
                *value += 1;
            })
        });
        for task in tasks {
            task.await.unwrap();
        }
    });
}
