// A change of a watch missed. A task subscribes and waits for a change. If the value was set before
// it subscribed it counts as seen, and there is no other change.
// origin: the documentation of tokio::sync::watch
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// twin: pass/watch_change_missed.rs

pub fn watch_change_missed() {
    let (sender, _) = watch::channel(false);
    let sender = Arc::new(sender);
    let waiter = {
        let sender = Arc::clone(&sender);
        spawn(async move {
            let mut ready = sender.subscribe();
            ready.changed().await.unwrap();
            assert!(*ready.borrow());
        })
    };
    sender.send_replace(true);
    block_on(waiter).unwrap();
}
