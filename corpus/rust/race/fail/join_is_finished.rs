// Finished, but not joined. is_finished says that the other task is done; it does not order
// anything. (std reads a reference count with Relaxed for it.)
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: none under sequential consistency
// twin: pass/join_is_finished.rs

pub fn join_is_finished() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            pair.write(1); // race
        })
    };
    if child.is_finished() {
        let seen = pair.read(); // race
        assert_eq!(seen, 1);
        child.join().unwrap();
    }
}
