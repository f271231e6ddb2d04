// Looked, then sent. The channel is open when the sender looks and closed when it sends.
// origin: folklore
// verdict: bug panic
// preemptions: 2, 5 executions
// delays rr: 2, 5 executions
// delays dfs: 1, 4 executions
// twin: pass/closed_after_a_look.rs

pub fn closed_after_a_look() {
    let (sender, mut receiver) = mpsc::channel(1);
    let task = spawn(async move {
        if !sender.is_closed() {
            sender.send(1).await.unwrap();
        }
    });
    receiver.close();
    block_on(task).unwrap();
}
