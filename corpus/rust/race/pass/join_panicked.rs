// Counted after the join of a task that has panicked: a join that returns an error orders like
// any other.
// origin: folklore
// verdict: verified
// twin: fail/join_panicked.rs

pub fn join_panicked() {
    let counter = Arc::new(Plain::new(0));
    let child = {
        let counter = counter.clone();
        thread::spawn(move || {
            counter.increment();
            panic!("on purpose");
        })
    };
    assert!(child.join().is_err());
    counter.increment();
    assert_eq!(counter.get(), 2, "an increment was lost");
}
