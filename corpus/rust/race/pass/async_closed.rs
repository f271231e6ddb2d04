// The receiver of an answer writes before it goes away: ordered before the end of
// closed().await.
// origin: folklore
// verdict: verified
// twin: fail/async_closed.rs

pub fn async_closed() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (mut tx, rx) = future::sync::oneshot::channel::<()>();
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1);
                drop(rx);
            })
        };
        tx.closed().await;
        pair.read();
        writer.await.unwrap();
    });
}
