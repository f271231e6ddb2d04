// Timeout against completion. The client gives up waiting for the answer and asks again; the server
// had done it the first time.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 2 executions
// delays rr: 0, 2 executions
// delays dfs: 0, 2 executions
// twin: pass/timeout_then_twice.rs

pub fn timeout_then_twice() {
    let (requests, mut queue) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
    let server = spawn(async move {
        let mut done = 0;
        while let Some(answer) = queue.recv().await {
            done += 1;
            let _ = answer.send(());
        }
        done
    });
    block_on(async move {
        loop {
            let (answer, answered) = oneshot::channel();
            requests.send(answer).unwrap();
            if timeout(MS, answered).await.is_ok() {
                break;
            }
        }
    });
    assert_eq!(block_on(server).unwrap(), 1);
}
