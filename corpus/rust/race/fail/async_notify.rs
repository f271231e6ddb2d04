// Written after notify_one.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_notify.rs

pub fn async_notify() {
    let shared = Arc::new((Pair::new(), future::sync::Notify::new()));
    future::block_on(async {
        let writer = {
            let shared = shared.clone();
            future::spawn(async move {
                shared.1.notify_one();
                shared.0.write(1); // race
            })
        };
        shared.1.notified().await;
        shared.0.read(); // race
        writer.await.unwrap();
    });
}
