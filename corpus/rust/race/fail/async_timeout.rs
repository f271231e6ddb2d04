// A timeout is taken for an answer.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_timeout.rs

pub fn async_timeout() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, rx) = future::sync::oneshot::channel();
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1); // race
                let _ = tx.send(());
            })
        };
        let _ = future::time::timeout(Duration::from_secs(1), rx).await;
        pair.read(); // race
        writer.await.unwrap();
    });
}
