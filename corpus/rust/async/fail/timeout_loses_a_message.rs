// A timeout that loses a message. Two messages are received under one timeout and tried again if it
// passes. What was received before it passed is dropped with the future.
// origin: the documentation of tokio::time::timeout on cancellation
// verdict: bug panic
// preemptions: 1, 8 executions
// delays rr: 1, 7 executions
// delays dfs: 1, 7 executions
// twin: pass/timeout_loses_a_message.rs

async fn receive_two(receiver: &mut mpsc::Receiver<u32>) -> u32 {
    receiver.recv().await.unwrap_or(0) + receiver.recv().await.unwrap_or(0)
}

pub fn timeout_loses_a_message() {
    let (sender, mut receiver) = mpsc::channel(2);
    let task = spawn(async move {
        for message in [1, 2] {
            sender.send(message).await.unwrap();
        }
    });
    let sum = block_on(async {
        loop {
            if let Ok(sum) = timeout(MS, receive_two(&mut receiver)).await {
                break sum;
            }
        }
    });
    block_on(task).unwrap();
    assert_eq!(sum, 3);
}
