// Written after the send. The message says what is not yet so.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/channel_write_after_send.rs

pub fn channel_write_after_send() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            tx.send(()).unwrap();
            pair.write(1); // race
        });
        rx.recv().unwrap();
        pair.read(); // race
    });
}
