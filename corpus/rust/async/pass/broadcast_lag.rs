// A receiver that has missed something goes on with what is still there.
// origin: the documentation of tokio::sync::broadcast
// verdict: verified, 880 executions
// preemptions: 2, 32 executions
// delays rr: 2, 32 executions
// delays dfs: 2, 36 executions
// twin: fail/broadcast_lag.rs

pub fn broadcast_lag() {
    let (sender, mut receiver) = broadcast::channel(2);
    let listener = spawn(async move {
        let mut last = 0;
        loop {
            match receiver.recv().await {
                Ok(message) => last = message,
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break last,
            }
        }
    });
    for message in 1..=3 {
        sender.send(message).unwrap();
    }
    drop(sender);
    assert_eq!(block_on(listener).unwrap(), 3);
}
