// The second task of a scope is spawned after the first was joined: a join and a spawn make a
// chain.
// origin: folklore
// verdict: verified
// twin: fail/scope_handle_join.rs

pub fn scope_handle_join() {
    let counter = Plain::new(0);
    let task = || {
        counter.increment();
    };
    thread::scope(|s| {
        let first = s.spawn(task);
        first.join().unwrap();
        s.spawn(task);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
