// A reference count that is decremented with Release, and an acquire fence before the last
// owner destroys the value.
// origin: Boost.Atomic, usage examples
// verdict: verified
// twin: fail/refcount_relaxed.rs

pub fn refcount_relaxed() {
    let (value, count) = (Pair::new(), AtomicUsize::new(2));
    let owner = || {
        let seen = value.read();
        assert_eq!(seen, 0);
        if count.fetch_sub(1, Release) == 1 {
            fence(Acquire);
            value.write(9);
        }
    };
    thread::scope(|s| {
        s.spawn(owner);
        s.spawn(owner);
    });
}
