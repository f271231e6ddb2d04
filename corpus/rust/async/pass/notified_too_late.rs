// `notify_waiters` reaches a `Notified` from the moment it is made, so it is made before the flag
// is looked at.
// origin: the documentation of tokio::sync::Notify warns of it
// verdict: verified, 48 executions
// preemptions: 3, 27 executions
// delays rr: 3, 27 executions
// delays dfs: 2, 18 executions
// twin: fail/notified_too_late.rs

pub fn notified_too_late() {
    let shared = Arc::new((AtomicBool::new(false), Notify::new()));
    let waiter = {
        let shared = Arc::clone(&shared);
        spawn(async move {
            loop {
                let notified = shared.1.notified();
                if shared.0.load(SeqCst) {
                    break;
                }
                notified.await;
            }
        })
    };
    shared.0.store(true, SeqCst);
    shared.1.notify_waiters();
    block_on(waiter).unwrap();
}
