// An async task polls a flag that another one of its thread sets, and does not give way. The other
// one can never be polled.
// origin: folklore
// verdict: bug good-samaritan
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/async_polling.rs

pub fn async_polling() {
    block_on(async {
        let flag = Arc::new(AtomicBool::new(false));
        let setter = {
            let flag = flag.clone();
            spawn_local(async move { flag.store(true, SC) })
        };
        while !flag.load(SC) {} // loop
        setter.await.unwrap();
    });
}
