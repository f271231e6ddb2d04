// The message of the right producer. The receiver waits for the message of the task that
// writes.
// origin: folklore
// verdict: verified
// twin: fail/channel_two_producers.rs

pub fn channel_two_producers() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    let other = tx.clone();
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            tx.send("written").unwrap();
        });
        s.spawn(|| other.send("idle").unwrap());
        while rx.recv().unwrap() != "written" {}
        pair.read();
    });
}
