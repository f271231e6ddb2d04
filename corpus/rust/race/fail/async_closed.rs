// The receiver of an answer goes away, and writes then. The sender takes closed() for the end
// of its work.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_closed.rs

pub fn async_closed() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (mut tx, rx) = future::sync::oneshot::channel::<()>();
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                drop(rx);
                pair.write(1); // race
            })
        };
        tx.closed().await;
        pair.read(); // race
        writer.await.unwrap();
    });
}
