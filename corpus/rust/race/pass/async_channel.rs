// The sender of an async channel is dropped after the write: ordered before the recv that finds
// the channel closed.
// origin: folklore
// verdict: verified
// twin: fail/async_channel.rs

pub fn async_channel() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, mut rx) = future::sync::mpsc::channel(1);
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                tx.send(()).await.unwrap();
                pair.write(1);
                drop(tx);
            })
        };
        while rx.recv().await.is_some() {}
        pair.read();
        writer.await.unwrap();
    });
}
