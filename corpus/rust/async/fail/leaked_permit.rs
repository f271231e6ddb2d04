// Cancellation leaks a permit. A task takes a permit, forgets it and means to give it back by hand.
// If it is cancelled at the await in between nobody does, and the next one waits for ever.
// origin: a common mistake with cancellation
// verdict: bug deadlock
// preemptions: 2, 4 executions
// delays rr: 2, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/leaked_permit.rs

pub fn leaked_permit() {
    let limit = Arc::new(Semaphore::new(1));
    let worker = {
        let limit = Arc::clone(&limit);
        spawn(async move {
            limit.acquire().await.unwrap().forget();
            yield_now().await;
            limit.add_permits(1);
        })
    };
    worker.abort();
    let _ = block_on(worker);
    assert!(block_on(limit.acquire()).is_ok());
}
