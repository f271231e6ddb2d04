// Written before the watched value changes: ordered before the end of changed().await.
// origin: folklore
// verdict: verified
// twin: fail/async_watch.rs

pub fn async_watch() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, mut rx) = future::sync::watch::channel(0);
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1);
                tx.send(1).unwrap();
            })
        };
        rx.changed().await.unwrap();
        pair.read();
        writer.await.unwrap();
    });
}
