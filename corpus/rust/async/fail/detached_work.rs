// Work lost with its join handle. The handle is dropped and the result used as if the task had
// ended.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// twin: pass/detached_work.rs

pub fn detached_work() {
    let written = Arc::new(AtomicUsize::new(0));
    block_on(async {
        let target = Arc::clone(&written);
        drop(spawn(async move { target.store(1, SeqCst) }));
        yield_now().await;
        assert_eq!(written.load(SeqCst), 1);
    });
}
