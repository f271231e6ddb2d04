// A meeting. On a channel of capacity 0 a send returns when the message was received, and is
// ordered after what the receiver did before.
// origin: folklore
// verdict: verified
// twin: fail/rendezvous.rs

pub fn rendezvous() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::sync_channel(0));
    thread::scope(|s| {
        let pair = &pair;
        s.spawn(move || {
            pair.write(1);
            rx.recv().unwrap();
        });
        tx.send(()).unwrap();
        pair.read();
    });
}
