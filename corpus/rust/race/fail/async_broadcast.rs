// Written after the broadcast.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_broadcast.rs

pub fn async_broadcast() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, mut rx) = future::sync::broadcast::channel(1);
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                tx.send(1).unwrap();
                pair.write(1); // race
            })
        };
        assert_eq!(rx.recv().await, Ok(1));
        pair.read(); // race
        writer.await.unwrap();
    });
}
