// A chain with a link missing. The first task writes and unlocks, the second locks and sends,
// the third receives and reads; but the second may lock before the first.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/chain_broken.rs

pub fn chain_broken() {
    let (pair, written, (tx, rx)) = (Pair::new(), Mutex::new(false), mpsc::channel());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            *written.lock().unwrap() = true;
        });
        s.spawn(|| {
            drop(written.lock().unwrap());
            tx.send(true).unwrap();
        });
        if rx.recv().unwrap() {
            pair.read(); // race
        }
    });
}
