// Read after the join: everything the joined task did is ordered before it.
// origin: folklore
// verdict: verified
// twin: fail/join_read_before.rs

pub fn join_read_before() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            pair.write(1);
        })
    };
    child.join().unwrap();
    assert_eq!(pair.read(), 1);
}
