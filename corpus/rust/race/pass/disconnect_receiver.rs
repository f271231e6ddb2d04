// Written before the receiver is dropped: ordered before the send that fails.
// origin: folklore
// verdict: verified
// twin: fail/disconnect_receiver.rs

pub fn disconnect_receiver() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel::<()>());
    thread::scope(|s| {
        let pair = &pair;
        s.spawn(move || {
            pair.write(1);
            drop(rx);
        });
        s.spawn(move || {
            if tx.send(()).is_err() {
                pair.read();
            }
        });
    });
}
