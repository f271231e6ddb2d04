// A meeting that is none. The receiver writes before it receives, and the sender reads after
// its send has returned; but the channel holds one message, and the send does not wait.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/rendezvous.rs

pub fn rendezvous() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::sync_channel(1));
    thread::scope(|s| {
        let pair = &pair;
        s.spawn(move || {
            pair.write(1); // race
            rx.recv().unwrap();
        });
        tx.send(()).unwrap();
        pair.read(); // race
    });
}
