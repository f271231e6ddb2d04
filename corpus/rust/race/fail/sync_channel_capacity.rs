// More permits than slots. The producer must put a permit into a bounded channel before it
// fills the only slot, and the consumer takes one out when it has read. With room for two
// permits the producer fills the slot again too early.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/sync_channel_capacity.rs

pub fn sync_channel_capacity() {
    let (pair, (permit, returned)) = (Pair::new(), mpsc::sync_channel(2));
    let (filled, fills) = mpsc::channel();
    thread::scope(|s| {
        s.spawn(|| {
            for value in 1..=2 {
                permit.send(()).unwrap();
                pair.write(value); // race
                filled.send(()).unwrap();
            }
        });
        for _ in 1..=2 {
            fills.recv().unwrap();
            pair.read(); // race
            returned.recv().unwrap();
        }
    });
}
