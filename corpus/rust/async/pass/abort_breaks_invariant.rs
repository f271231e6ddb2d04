// Nothing is awaited between the two halves.
// origin: folklore
// verdict: verified, 24 executions
// preemptions: 3, 14 executions
// delays rr: 3, 14 executions
// delays dfs: 2, 13 executions
// twin: fail/abort_breaks_invariant.rs

pub fn abort_breaks_invariant() {
    let accounts = Arc::new(Mutex::new((10, 0)));
    let transfer = {
        let accounts = Arc::clone(&accounts);
        spawn(async move {
            let mut accounts = accounts.lock().await;
            yield_now().await;
            accounts.0 -= 5;
            accounts.1 += 5;
        })
    };
    transfer.abort();
    let _ = block_on(transfer);
    let accounts = block_on(accounts.lock());
    assert_eq!(accounts.0 + accounts.1, 10);
}
