// The permit is kept as a value: whatever happens to the task, its destructor gives it back.
// origin: a common mistake with cancellation
// verdict: verified, 24 executions
// preemptions: 3, 14 executions
// delays rr: 3, 14 executions
// delays dfs: 2, 13 executions
// twin: fail/leaked_permit.rs

pub fn leaked_permit() {
    let limit = Arc::new(Semaphore::new(1));
    let worker = {
        let limit = Arc::clone(&limit);
        spawn(async move {
            let _permit = limit.acquire().await.unwrap();
            yield_now().await;
        })
    };
    worker.abort();
    let _ = block_on(worker);
    assert!(block_on(limit.acquire()).is_ok());
}
