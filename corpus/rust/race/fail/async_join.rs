// Read before the await of the task that writes.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_join.rs

pub fn async_join() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1); // race
            })
        };
        pair.read(); // race
        writer.await.unwrap();
    });
}
