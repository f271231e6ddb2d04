// A receive that times out is taken for a message.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/recv_timeout_ignored.rs

pub fn recv_timeout_ignored() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            tx.send(()).unwrap();
        });
        let _ = rx.recv_timeout(Duration::from_secs(1));
        pair.read(); // race
    });
}
