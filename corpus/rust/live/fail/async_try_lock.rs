// Two async tasks that take two locks, the second by trying, in opposite orders. In step with each
// other both fail for ever.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1, async
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 4 executions
// dfs: 41 executions
// twin: pass/async_try_lock.rs

async fn take_both(first: &AsyncMutex<()>, second: &AsyncMutex<()>) {
    loop {
        let held = first.lock().await;
        if let Ok(other) = second.try_lock() {
            drop(held);
            drop(other);
            return;
        }
    }
}

pub fn async_try_lock() {
    let locks = Arc::new([AsyncMutex::new(()), AsyncMutex::new(())]);
    let other = {
        let locks = locks.clone();
        spawn(async move { take_both(&locks[1], &locks[0]).await })
    };
    block_on(async {
        take_both(&locks[0], &locks[1]).await;
        other.await.unwrap();
    });
}
