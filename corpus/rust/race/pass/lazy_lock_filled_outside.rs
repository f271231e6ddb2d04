// What the closure of a LazyLock does is ordered before the return of every force.
// origin: folklore
// verdict: verified
// twin: fail/lazy_lock_filled_outside.rs

pub fn lazy_lock_filled_outside() {
    let counter = Plain::new(0);
    let table = LazyLock::new(|| {
        counter.increment();
        counter.increment();
    });
    let user = || {
        LazyLock::force(&table);
        assert_eq!(counter.get(), 2);
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
