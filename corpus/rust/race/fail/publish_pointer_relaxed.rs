// A pointer published with Relaxed. Whoever finds it may not yet look at what it points to.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/publish_pointer_relaxed.rs

pub fn publish_pointer_relaxed() {
    let (pair, place) = (Pair::new(), AtomicPtr::new(std::ptr::null_mut()));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            place.store(std::ptr::from_ref(&pair).cast_mut(), Relaxed);
        });
        s.spawn(|| {
            // SAFETY: if it is not null it points to the pair, which outlives the scope.
            if let Some(found) = unsafe { place.load(Acquire).as_ref() } {
                let seen = found.read(); // race
                assert_eq!(seen, 1);
            }
        });
    });
}
