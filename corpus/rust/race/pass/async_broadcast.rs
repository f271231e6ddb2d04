// Written before the broadcast: ordered before the recv of every receiver.
// origin: folklore
// verdict: verified
// twin: fail/async_broadcast.rs

pub fn async_broadcast() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, mut rx) = future::sync::broadcast::channel(1);
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1);
                tx.send(1).unwrap();
            })
        };
        assert_eq!(rx.recv().await, Ok(1));
        pair.read();
        writer.await.unwrap();
    });
}
