// Two tasks that send to each other. Each sends two messages before it receives any, and there is
// room for one.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/full_channels.rs

pub fn full_channels() {
    let (to_other, mut from_me) = mpsc::channel(1);
    let (to_me, mut from_other) = mpsc::channel(1);
    let other = spawn(async move {
        for n in 0..2 {
            to_me.send(n).await.unwrap();
        }
        while from_me.recv().await.is_some() {}
    });
    block_on(async move {
        for n in 0..2 {
            to_other.send(n).await.unwrap();
        }
        drop(to_other);
        while from_other.recv().await.is_some() {}
        other.await.unwrap();
    });
}
