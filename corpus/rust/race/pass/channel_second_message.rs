// As many messages as writes: the reader reads after the second of the two messages.
// origin: folklore
// verdict: verified
// twin: fail/channel_second_message.rs

pub fn channel_second_message() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            for value in 1..=2 {
                pair.write(value);
                tx.send(value).unwrap();
            }
        });
        rx.recv().unwrap();
        rx.recv().unwrap();
        pair.read();
    });
}
