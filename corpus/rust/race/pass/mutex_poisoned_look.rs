// Poisoned, and locked. A lock that returns an error has taken the mutex like any other.
// origin: folklore
// verdict: verified
// twin: fail/mutex_poisoned_look.rs

pub fn mutex_poisoned_look() {
    let shared = Arc::new((Mutex::new(()), Pair::new()));
    let child = {
        let shared = shared.clone();
        thread::spawn(move || {
            let _guard = shared.0.lock().unwrap();
            shared.1.write(1);
            panic!("on purpose");
        })
    };
    if shared.0.is_poisoned() {
        let _guard = shared.0.lock().unwrap_err();
        let seen = shared.1.read();
        assert_eq!(seen, 1);
    }
    assert!(child.join().is_err());
}
