// Signal instead of a sleep. A task says when it has set a value, and the main task waits for that.
// origin: folklore
// verdict: verified, 6 executions
// preemptions: 3, 6 executions
// delays rr: 3, 6 executions
// delays dfs: 3, 6 executions
// twin: fail/sleep_for_a_signal.rs

pub fn sleep_for_a_signal() {
    let value = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    let setter = {
        let value = value.clone();
        thread::spawn(move || {
            value.store(1, Ordering::SeqCst);
            sender.send(()).unwrap();
        })
    };
    receiver.recv().unwrap();
    assert_eq!(value.load(Ordering::SeqCst), 1, "a second was not enough");
    setter.join().unwrap();
}
