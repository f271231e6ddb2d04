// An empty channel is taken for a message.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/try_recv_empty.rs

pub fn try_recv_empty() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            tx.send(()).unwrap();
        });
        let _ = rx.try_recv();
        pair.read(); // race
    });
}
