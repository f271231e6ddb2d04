// Lazy initialisation by a plain flag, under a mutex.
// origin: folklore
// verdict: verified
// twin: fail/lazy_init_plain.rs

pub fn lazy_init_plain() {
    let lock = Mutex::new(());
    let (made, makes) = (Plain::new(false), AtomicUsize::new(0));
    let user = || {
        let _guard = lock.lock().unwrap();
        if !made.get() {
            makes.fetch_add(1, Relaxed);
            made.set(true);
        }
    };
    thread::scope(|s| {
        s.spawn(user);
        s.spawn(user);
    });
    assert_eq!(makes.load(Relaxed), 1, "made twice");
}
