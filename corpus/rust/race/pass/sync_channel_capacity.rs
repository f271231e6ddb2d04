// As many permits as slots. With room for one permit the producer's second send waits for the
// consumer's receive, and is ordered after it.
// origin: folklore
// verdict: verified
// twin: fail/sync_channel_capacity.rs

pub fn sync_channel_capacity() {
    let (pair, (permit, returned)) = (Pair::new(), mpsc::sync_channel(1));
    let (filled, fills) = mpsc::channel();
    thread::scope(|s| {
        s.spawn(|| {
            for value in 1..=2 {
                permit.send(()).unwrap();
                pair.write(value);
                filled.send(()).unwrap();
            }
        });
        for _ in 1..=2 {
            fills.recv().unwrap();
            pair.read();
            returned.recv().unwrap();
        }
    });
}
