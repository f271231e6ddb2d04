// A task starved by another. A local task waits for a message in a way that blocks the thread; the
// task that would send it is woken and needs that thread.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// twin: pass/starved_by_a_blocking_wait.rs

pub fn starved_by_a_blocking_wait() {
    block_on(async {
        let (sender, receiver) = caissa::sync::mpsc::channel();
        let waits = spawn_local(async move { receiver.recv().unwrap() });
        let sends = spawn_local(async move { sender.send(1).unwrap() });
        sends.await.unwrap();
        assert_eq!(waits.await.unwrap(), 1);
    });
}
