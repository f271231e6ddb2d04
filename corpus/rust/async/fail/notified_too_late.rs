// Missed notification. The waiter looks at the flag and makes its `Notified` only then;
// `notify_waiters` in between reaches nobody and is not kept.
// origin: the documentation of tokio::sync::Notify warns of it
// verdict: bug deadlock
// preemptions: 2, 6 executions
// delays rr: 2, 6 executions
// delays dfs: 1, 4 executions
// twin: pass/notified_too_late.rs

pub fn notified_too_late() {
    let shared = Arc::new((AtomicBool::new(false), Notify::new()));
    let waiter = {
        let shared = Arc::clone(&shared);
        spawn(async move {
            while !shared.0.load(SeqCst) {
                shared.1.notified().await;
            }
        })
    };
    shared.0.store(true, SeqCst);
    shared.1.notify_waiters();
    block_on(waiter).unwrap();
}
