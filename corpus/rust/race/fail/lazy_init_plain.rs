// Lazy initialisation by a plain flag. Two tasks can both find nothing made.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, made twice
// promoted: 1
// twin: pass/lazy_init_plain.rs

pub fn lazy_init_plain() {
    let (made, makes) = (Plain::new(false), AtomicUsize::new(0));
    let user = || {
        if !made.get() { // race
            makes.fetch_add(1, Relaxed);
            made.set(true); // race
        }
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
    assert_eq!(makes.load(Relaxed), 1, "made twice");
}
