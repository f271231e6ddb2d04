// A LazyLock guards its own value only. Every user counts itself after it has forced the value,
// and nothing orders that.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/lazy_lock_filled_outside.rs

pub fn lazy_lock_filled_outside() {
    let counter = Plain::new(0);
    let table = LazyLock::new(|| ());
    let user = || {
        LazyLock::force(&table);
        counter.increment(); // race
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
    assert_eq!(counter.get(), 2, "an increment was lost");
}
