// Joined, after a sleep that does not matter.
// origin: folklore
// verdict: verified
// twin: fail/sleep_instead_of_join.rs

pub fn sleep_instead_of_join() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(1));
            pair.write(1);
        })
    };
    thread::sleep(Duration::from_secs(1));
    child.join().unwrap();
    assert_eq!(pair.read(), 1);
}
