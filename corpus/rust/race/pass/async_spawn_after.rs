// Written before the async task is spawned: ordered before its first poll.
// origin: folklore
// verdict: verified
// twin: fail/async_spawn_after.rs

pub fn async_spawn_after() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        pair.write(1);
        let reader = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.read();
            })
        };
        reader.await.unwrap();
    });
}
