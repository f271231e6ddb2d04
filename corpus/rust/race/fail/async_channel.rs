// The end of an async channel taken for the end of the work. The sender is dropped before the
// write.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_channel.rs

pub fn async_channel() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, mut rx) = future::sync::mpsc::channel(1);
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                tx.send(()).await.unwrap();
                drop(tx);
                pair.write(1); // race
            })
        };
        while rx.recv().await.is_some() {}
        pair.read(); // race
        writer.await.unwrap();
    });
}
