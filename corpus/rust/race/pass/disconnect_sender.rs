// Written before the sender is dropped: ordered before the receive that finds the channel
// closed.
// origin: folklore
// verdict: verified
// twin: fail/disconnect_sender.rs

pub fn disconnect_sender() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel::<()>());
    thread::scope(|s| {
        let pair = &pair;
        s.spawn(move || {
            pair.write(1);
            drop(tx);
        });
        assert!(rx.recv().is_err());
        pair.read();
    });
}
