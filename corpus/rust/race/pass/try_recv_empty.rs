// An empty channel is no message; a message that try_recv finds orders as one that recv has
// waited for.
// origin: folklore
// verdict: verified
// twin: fail/try_recv_empty.rs

pub fn try_recv_empty() {
    let (pair, (tx, rx)) = (Pair::new(), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            tx.send(()).unwrap();
        });
        if rx.try_recv().is_ok() {
            pair.read();
        }
    });
}
