// A receive that times out is no message, and orders nothing.
// origin: folklore
// verdict: verified
// twin: fail/recv_timeout_ignored.rs

pub fn recv_timeout_ignored() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            tx.send(()).unwrap();
        });
        if rx.recv_timeout(Duration::from_secs(1)).is_ok() {
            pair.read();
        }
    });
}
