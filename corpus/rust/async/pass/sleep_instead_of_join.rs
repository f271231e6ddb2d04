// The task is awaited, at most so long; if it takes longer that is said and nothing assumed.
// origin: folklore
// verdict: verified, 130 executions
// preemptions: 2, 41 executions
// delays rr: 2, 29 executions
// delays dfs: 2, 25 executions
// twin: fail/sleep_instead_of_join.rs

pub fn sleep_instead_of_join() {
    let written = Arc::new(AtomicUsize::new(0));
    let target = Arc::clone(&written);
    let task = spawn(async move { target.store(1, SeqCst) });
    if block_on(timeout(100 * MS, task)).is_ok() {
        assert_eq!(written.load(SeqCst), 1);
    }
}
