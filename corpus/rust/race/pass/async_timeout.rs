// A timeout is no answer, and orders nothing.
// origin: folklore
// verdict: verified
// twin: fail/async_timeout.rs

pub fn async_timeout() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, rx) = future::sync::oneshot::channel();
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1);
                let _ = tx.send(());
            })
        };
        if future::time::timeout(Duration::from_secs(1), rx).await.is_ok() {
            pair.read();
        }
        writer.await.unwrap();
    });
}
