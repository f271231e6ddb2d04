// Read after the await of the task that writes: its end is ordered before.
// origin: folklore
// verdict: verified
// twin: fail/async_join.rs

pub fn async_join() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let writer = {
            let pair = pair.clone();
            future::spawn(async move {
                pair.write(1);
            })
        };
        writer.await.unwrap();
        assert_eq!(pair.read(), 1);
    });
}
