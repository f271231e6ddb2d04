// Written after the answer was sent.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_oneshot.rs

pub fn async_oneshot() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, rx) = future::sync::oneshot::channel();
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                tx.send(()).unwrap();
                pair.write(1); // race
            })
        };
        rx.await.unwrap();
        pair.read(); // race
        writer.await.unwrap();
    });
}
