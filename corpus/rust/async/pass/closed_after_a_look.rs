// Only the send itself can tell.
// origin: folklore
// verdict: verified, 35 executions
// preemptions: 3, 22 executions
// delays rr: 3, 22 executions
// delays dfs: 2, 13 executions
// twin: fail/closed_after_a_look.rs

pub fn closed_after_a_look() {
    let (sender, mut receiver) = mpsc::channel(1);
    let task = spawn(async move { sender.send(1).await.is_ok() });
    receiver.close();
    let received = block_on(receiver.recv()).is_some();
    assert_eq!(block_on(task).unwrap(), received);
}
