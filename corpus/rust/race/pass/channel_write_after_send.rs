// Written before the send: ordered before the receive of that message.
// origin: folklore
// verdict: verified
// twin: fail/channel_write_after_send.rs

pub fn channel_write_after_send() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            tx.send(()).unwrap();
        });
        rx.recv().unwrap();
        pair.read();
    });
}
