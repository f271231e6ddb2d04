// Written after an async barrier, where others already read.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_barrier.rs

pub fn async_barrier() {
    let shared = Arc::new((Pair::new(), future::sync::Barrier::new(2)));
    future::block_on(async {
        let writer = {
            let shared = shared.clone();
            future::spawn(async move {
                shared.1.wait().await;
                shared.0.write(1); // race
            })
        };
        shared.1.wait().await;
        shared.0.read(); // race
        writer.await.unwrap();
    });
}
