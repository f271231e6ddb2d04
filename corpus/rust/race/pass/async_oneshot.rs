// Written before the answer is sent: ordered before the await that receives it.
// origin: folklore
// verdict: verified
// twin: fail/async_oneshot.rs

pub fn async_oneshot() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (tx, rx) = future::sync::oneshot::channel();
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1);
                tx.send(()).unwrap();
            })
        };
        rx.await.unwrap();
        pair.read();
        writer.await.unwrap();
    });
}
