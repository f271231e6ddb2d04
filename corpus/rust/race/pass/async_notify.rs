// Written before notify_one: ordered before the end of the notified().await that it ends.
// origin: folklore
// verdict: verified
// twin: fail/async_notify.rs

pub fn async_notify() {
    let shared = Arc::new((Pair::new(), future::sync::Notify::new()));
    future::block_on(async {
        let writer = {
            let shared = shared.clone();
            future::spawn(async move {
                shared.0.write(1);
                shared.1.notify_one();
            })
        };
        shared.1.notified().await;
        shared.0.read();
        writer.await.unwrap();
    });
}
