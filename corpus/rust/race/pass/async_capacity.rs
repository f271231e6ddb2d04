// As many permits as slots, async. A send that has waited for room is ordered after the recv
// that made it.
// origin: folklore
// verdict: verified
// twin: fail/async_capacity.rs

pub fn async_capacity() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (permit, mut returned) = future::sync::mpsc::channel(1);
        let (filled, mut fills) = future::sync::mpsc::unbounded_channel();
        let producer = {
            let pair = pair.clone();
            future::spawn(async move {
                for value in 1..=2 {
                    permit.send(()).await.unwrap();
                    pair.write(value);
                    filled.send(()).unwrap();
                }
            })
        };
        for _ in 1..=2 {
            fills.recv().await.unwrap();
            pair.read();
            returned.recv().await.unwrap();
        }
        producer.await.unwrap();
    });
}
