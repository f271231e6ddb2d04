// Written before an async barrier: ordered before everything that any task does after it.
// origin: folklore
// verdict: verified
// twin: fail/async_barrier.rs

pub fn async_barrier() {
    let shared = Arc::new((Pair::new(), future::sync::Barrier::new(2)));
    future::block_on(async {
        let writer = {
            let shared = shared.clone();
            future::spawn(async move {
                shared.0.write(1);
                shared.1.wait().await;
            })
        };
        shared.1.wait().await;
        shared.0.read();
        writer.await.unwrap();
    });
}
