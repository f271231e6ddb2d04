// An async task polls what it has once read of a flag. It gives way on each turn, for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/async_polling.rs

pub fn async_stale_copy() {
    block_on(async {
        let flag = Arc::new(AtomicBool::new(false));
        let setter = {
            let flag = flag.clone();
            spawn_local(async move { flag.store(true, SC) })
        };
        let seen = flag.load(SC);
        while !seen {
            yield_now().await;
        }
        setter.await.unwrap();
    });
}
