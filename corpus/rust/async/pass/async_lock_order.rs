// Both take the locks in the same order.
// origin: folklore
// verdict: verified, 121 executions
// preemptions: 2, 22 executions
// delays rr: 2, 22 executions
// delays dfs: 2, 22 executions
// twin: fail/async_lock_order.rs

pub fn async_lock_order() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let other = {
        let locks = Arc::clone(&locks);
        spawn(async move {
            let first = locks.0.lock().await;
            *locks.1.lock().await += *first;
        })
    };
    block_on(async {
        let mut first = locks.0.lock().await;
        *first += *locks.1.lock().await;
    });
    block_on(other).unwrap();
}
