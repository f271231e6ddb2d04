// Written after the sender was dropped. The receiver takes the end of the channel for the end
// of the work.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/disconnect_sender.rs

pub fn disconnect_sender() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel::<()>());
    thread::scope(|s| {
        let pair = &pair;
        s.spawn(move || {
            drop(tx);
            pair.write(1); // race
        });
        assert!(rx.recv().is_err());
        pair.read(); // race
    });
}
