// Written after the receiver was dropped. The sender takes a send that fails for the end of the
// other task's work.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/disconnect_receiver.rs

pub fn disconnect_receiver() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel::<()>());
    thread::scope(|s| {
        let pair = &pair;
        s.spawn(move || {
            drop(rx);
            pair.write(1); // race
        });
        s.spawn(move || {
            if tx.send(()).is_err() {
                pair.read(); // race
            }
        });
    });
}
