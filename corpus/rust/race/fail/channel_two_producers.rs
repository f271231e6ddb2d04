// The message of another producer. The receiver takes the first message for that of the task
// that writes; it may be the other task's, and each message orders only what its own sender
// did.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/channel_two_producers.rs

pub fn channel_two_producers() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    let other = tx.clone();
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            tx.send("written").unwrap();
        });
        s.spawn(|| other.send("idle").unwrap());
        rx.recv().unwrap();
        pair.read(); // race
    });
}
