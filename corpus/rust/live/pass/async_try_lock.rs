// Two async tasks that take two locks, the second by trying, in the same order. Who fails lets go
// of the first and begins again.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1, async
// verdict: verified, 488 executions
// preemptions: 2, 28 executions
// delays rr: 2, 28 executions
// delays dfs: 2, 28 executions
// unfair: incomplete
// twin: fail/async_try_lock.rs

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
        spawn(async move { take_both(&locks[0], &locks[1]).await })
    };
    block_on(async {
        take_both(&locks[0], &locks[1]).await;
        other.await.unwrap();
    });
}
