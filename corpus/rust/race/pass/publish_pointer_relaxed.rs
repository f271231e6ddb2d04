// A pointer published with Release and found with Acquire.
// origin: folklore
// verdict: verified
// twin: fail/publish_pointer_relaxed.rs

pub fn publish_pointer_relaxed() {
    let (pair, place) = (Pair::new(), AtomicPtr::new(std::ptr::null_mut()));
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            place.store(std::ptr::from_ref(&pair).cast_mut(), Release);
        });
        s.spawn(|| {
            // SAFETY: if it is not null it points to the pair, which outlives the scope.
            if let Some(found) = unsafe { place.load(Acquire).as_ref() } {
                let seen = found.read();
                assert_eq!(seen, 1);
            }
        });
    });
}
