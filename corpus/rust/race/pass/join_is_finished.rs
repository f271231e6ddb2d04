// Finished, and then joined.
// origin: folklore
// verdict: verified
// twin: fail/join_is_finished.rs

pub fn join_is_finished() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            pair.write(1);
        })
    };
    if child.is_finished() {
        child.join().unwrap();
        let seen = pair.read();
        assert_eq!(seen, 1);
    }
}
