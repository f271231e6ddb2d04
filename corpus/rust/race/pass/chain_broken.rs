// A chain of three tasks: a mutex orders the first before the second if the second has seen
// what the first did, and a message the second before the third.
// origin: folklore
// verdict: verified
// twin: fail/chain_broken.rs

pub fn chain_broken() {
    let (pair, written, (tx, rx)) = (Pair::new(), Mutex::new(false), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            *written.lock().unwrap() = true;
        });
        s.spawn(|| {
            let seen = *written.lock().unwrap();
            tx.send(seen).unwrap();
        });
        if rx.recv().unwrap() {
            pair.read();
        }
    });
}
