// Written after the watched value has changed.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_watch.rs

pub fn async_watch() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, mut rx) = future::sync::watch::channel(0);
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                tx.send(1).unwrap();
                pair.write(1); // race
            })
        };
        rx.changed().await.unwrap();
        pair.read(); // race
        writer.await.unwrap();
    });
}
