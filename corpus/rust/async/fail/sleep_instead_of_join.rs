// A sleep that is long enough. The task is expected to be done by then; nothing but luck makes it
// so.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 2 executions
// delays rr: 0, 2 executions
// delays dfs: 1, 4 executions
// twin: pass/sleep_instead_of_join.rs

pub fn sleep_instead_of_join() {
    let written = Arc::new(AtomicUsize::new(0));
    let target = Arc::clone(&written);
    drop(spawn(async move { target.store(1, SeqCst) }));
    block_on(sleep(100 * MS));
    assert_eq!(written.load(SeqCst), 1);
}
