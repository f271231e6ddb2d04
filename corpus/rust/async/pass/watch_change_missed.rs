// `wait_for` looks at the value that is there first.
// origin: the documentation of tokio::sync::watch
// verdict: verified, 102 executions
// preemptions: 2, 19 executions
// delays rr: 2, 19 executions
// delays dfs: 2, 24 executions
// twin: fail/watch_change_missed.rs

pub fn watch_change_missed() {
    let (sender, _) = watch::channel(false);
    let sender = Arc::new(sender);
    let waiter = {
        let sender = Arc::clone(&sender);
        spawn(async move {
            let mut ready = sender.subscribe();
            assert!(*ready.wait_for(|ready| *ready).await.unwrap());
        })
    };
    sender.send_replace(true);
    block_on(waiter).unwrap();
}
