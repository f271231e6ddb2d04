// The task that waits gives its thread away while it does.
// origin: folklore
// verdict: verified, 4 executions
// preemptions: 2, 4 executions
// delays rr: 2, 4 executions
// delays dfs: 2, 4 executions
// twin: fail/starved_by_a_blocking_wait.rs

pub fn starved_by_a_blocking_wait() {
    block_on(async {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let waits = spawn_local(async move { receiver.recv().await.unwrap() });
        let sends = spawn_local(async move { sender.send(1).unwrap() });
        sends.await.unwrap();
        assert_eq!(waits.await.unwrap(), 1);
    });
}
