// The task is awaited.
// origin: folklore
// verdict: verified, 20 executions
// preemptions: 2, 10 executions
// delays rr: 2, 10 executions
// delays dfs: 2, 10 executions
// twin: fail/detached_work.rs

pub fn detached_work() {
    let written = Arc::new(AtomicUsize::new(0));
    block_on(async {
        let target = Arc::clone(&written);
        let task = spawn(async move { target.store(1, SeqCst) });
        yield_now().await;
        task.await.unwrap();
        assert_eq!(written.load(SeqCst), 1);
    });
}
