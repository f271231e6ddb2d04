// Poisoned, but not locked. A task panics with the mutex held; the other asks is_poisoned,
// which orders nothing, and reads what the first has left.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: none under sequential consistency
// twin: pass/mutex_poisoned_look.rs

pub fn mutex_poisoned_look() {
    let shared = Arc::new((Mutex::new(()), Pair::new()));
    let child = {
        let shared = shared.clone();
        thread::spawn(move || {
            let _guard = shared.0.lock().unwrap();
            shared.1.write(1); // race
            panic!("on purpose");
        })
    };
    if shared.0.is_poisoned() {
        let seen = shared.1.read(); // race
        assert_eq!(seen, 1);
    }
    assert!(child.join().is_err());
}
