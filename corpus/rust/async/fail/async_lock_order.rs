// Two async locks taken in opposite orders.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 4 executions
// twin: pass/async_lock_order.rs

pub fn async_lock_order() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let other = {
        let locks = Arc::clone(&locks);
        spawn(async move {
            let mut second = locks.1.lock().await;
            *second += *locks.0.lock().await;
        })
    };
    block_on(async {
        let mut first = locks.0.lock().await;
        *first += *locks.1.lock().await;
    });
    block_on(other).unwrap();
}
