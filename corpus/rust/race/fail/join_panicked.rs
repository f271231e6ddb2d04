// Counted before the join of a task that counts and panics.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/join_panicked.rs

pub fn join_panicked() {
    let counter = Arc::new(Plain::new(0));
    let child = {
        let counter = counter.clone();
        thread::spawn(move || {
            counter.increment(); // race
            panic!("on purpose");
        })
    };
    counter.increment(); // race
    assert!(child.join().is_err());
    assert_eq!(counter.get(), 2, "an increment was lost");
}
