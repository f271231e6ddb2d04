// Requests bear a number, and the server does each once.
// origin: folklore
// verdict: bounded
// preemptions: 2, 157 executions
// delays rr: 2, 122 executions
// delays dfs: 2, 137 executions
// twin: fail/timeout_then_twice.rs

pub fn timeout_then_twice() {
    let (requests, mut queue) = mpsc::unbounded_channel::<(u32, oneshot::Sender<()>)>();
    let server = spawn(async move {
        let mut done = Vec::new();
        while let Some((number, answer)) = queue.recv().await {
            if !done.contains(&number) {
                done.push(number);
            }
            let _ = answer.send(());
        }
        done.len()
    });
    block_on(async move {
        loop {
            let (answer, answered) = oneshot::channel();
            requests.send((1, answer)).unwrap();
            if timeout(MS, answered).await.is_ok() {
                break;
            }
        }
    });
    assert_eq!(block_on(server).unwrap(), 1);
}
