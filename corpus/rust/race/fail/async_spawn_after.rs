// Written after the async task was spawned.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_spawn_after.rs

pub fn async_spawn_after() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let reader = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.read(); // race
            })
        };
        pair.write(1); // race
        reader.await.unwrap();
    });
}
