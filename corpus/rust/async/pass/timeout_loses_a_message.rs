// Only a single `recv` is under the timeout: dropped, it has taken nothing.
// origin: the documentation of tokio::time::timeout on cancellation
// verdict: verified, 6258 executions
// preemptions: 2, 126 executions
// delays rr: 2, 96 executions
// delays dfs: 2, 61 executions
// twin: fail/timeout_loses_a_message.rs

pub fn timeout_loses_a_message() {
    let (sender, mut receiver) = mpsc::channel(2);
    let task = spawn(async move {
        for message in [1, 2] {
            sender.send(message).await.unwrap();
        }
    });
    let sum = block_on(async {
        let (mut sum, mut received) = (0, 0);
        while received < 2 {
            if let Ok(message) = timeout(MS, receiver.recv()).await {
                sum += message.unwrap_or(0);
                received += 1;
            }
        }
        sum
    });
    block_on(task).unwrap();
    assert_eq!(sum, 3);
}
