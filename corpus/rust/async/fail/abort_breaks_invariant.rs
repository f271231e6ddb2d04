// Abort while holding a lock. A transfer awaits between its two halves. Cancelled there, it
// releases the lock with half of it done: an async lock is not poisoned.
// origin: folklore
// verdict: bug panic
// preemptions: 2, 4 executions
// delays rr: 2, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/abort_breaks_invariant.rs

pub fn abort_breaks_invariant() {
    let accounts = Arc::new(Mutex::new((10, 0)));
    let transfer = {
        let accounts = Arc::clone(&accounts);
        spawn(async move {
            let mut accounts = accounts.lock().await;
            accounts.0 -= 5;
            yield_now().await;
            accounts.1 += 5;
        })
    };
    transfer.abort();
    let _ = block_on(transfer);
    let accounts = block_on(accounts.lock());
    assert_eq!(accounts.0 + accounts.1, 10);
}
