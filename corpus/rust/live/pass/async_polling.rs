// An async task polls a flag that another one of its thread sets, and gives way on each turn.
// origin: folklore
// verdict: verified, 2 executions
// preemptions: 2, 2 executions
// delays rr: 2, 2 executions
// delays dfs: 2, 2 executions
// unfair: incomplete
// twin: fail/async_polling.rs, fail/async_stale_copy.rs

pub fn async_polling() {
    block_on(async {
        let flag = Arc::new(AtomicBool::new(false));
        let setter = {
            let flag = flag.clone();
            spawn_local(async move { flag.store(true, SC) })
        };
        while !flag.load(SC) {
            yield_now().await;
        }
        setter.await.unwrap();
    });
}
