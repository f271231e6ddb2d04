// Long enough, one would think. Main sleeps instead of joining; time orders nothing.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/sleep_instead_of_join.rs

pub fn sleep_instead_of_join() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(1));
            pair.write(1); // race
        })
    };
    thread::sleep(Duration::from_secs(1));
    pair.read(); // race
    child.join().unwrap();
}
