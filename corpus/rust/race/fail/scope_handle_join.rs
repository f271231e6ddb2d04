// The second task of a scope is spawned before the first was joined.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/scope_handle_join.rs

pub fn scope_handle_join() {
    let counter = Plain::new(0);
    let task = || {
        counter.increment(); // race
    };
    thread::scope(|s| {
        let first = s.spawn(task);
        s.spawn(task);
        first.join().unwrap();
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
