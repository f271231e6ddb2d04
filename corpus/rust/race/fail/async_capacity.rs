// More permits than slots, async. With room for two permits in the channel the producer fills
// the only slot again before the consumer has read it.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_capacity.rs

pub fn async_capacity() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let (permit, mut returned) = future::sync::mpsc::channel(2);
        let (filled, mut fills) = future::sync::mpsc::unbounded_channel();
        let producer = {
            let pair = pair.clone();
            future::spawn(async move {
                for value in 1..=2 {
                    permit.send(()).await.unwrap();
                    pair.write(value); // race
                    filled.send(()).unwrap();
                }
            })
        };
        for _ in 1..=2 {
            fills.recv().await.unwrap();
            pair.read(); // race
            returned.recv().await.unwrap();
        }
        producer.await.unwrap();
    });
}
