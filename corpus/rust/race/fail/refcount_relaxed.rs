// A reference count that is decremented with Relaxed. The last owner destroys the value, but is
// not ordered after what the other owner did with it.
// origin: Boost.Atomic, usage examples
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/refcount_relaxed.rs

pub fn refcount_relaxed() {
    let (value, count) = (Pair::new(), AtomicUsize::new(2));
    let owner = || {
        let seen = value.read(); // race
        assert_eq!(seen, 0);
        if count.fetch_sub(1, Relaxed) == 1 {
            value.write(9); // race
        }
    };
    thread::scope(|s| {
        s.spawn(owner);
        s.spawn(owner);
    });
}
