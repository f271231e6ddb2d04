// Read before the join. The other task may still write.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/join_read_before.rs

pub fn join_read_before() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            pair.write(1); // race
        })
    };
    pair.read(); // race
    child.join().unwrap();
}
