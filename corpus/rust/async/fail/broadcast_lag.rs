// Broadcast lag ignored. The receiver takes every error for the end of the channel. If it is slow
// it is told that it has missed something, leaves, and never sees the last message.
// origin: the documentation of tokio::sync::broadcast
// verdict: bug panic
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/broadcast_lag.rs

pub fn broadcast_lag() {
    let (sender, mut receiver) = broadcast::channel(2);
    let listener = spawn(async move {
        let mut last = 0;
        while let Ok(message) = receiver.recv().await {
            last = message;
        }
        last
    });
    for message in 1..=3 {
        sender.send(message).unwrap();
    }
    drop(sender);
    assert_eq!(block_on(listener).unwrap(), 3);
}
