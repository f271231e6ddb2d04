// One of them receives while it sends.
// origin: folklore
// verdict: bounded
// preemptions: 2, 96 executions
// delays rr: 2, 96 executions
// delays dfs: 2, 87 executions
// twin: fail/full_channels.rs

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
        let sends = async move {
            for n in 0..2 {
                to_other.send(n).await.unwrap();
            }
        };
        let receives = async move { while from_other.recv().await.is_some() {} };
        join(sends, receives).await;
        other.await.unwrap();
    });
}
