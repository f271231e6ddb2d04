// Sleep for a signal. A task is given a second to set a value, and the main task then relies on it. However
// long it sleeps, the other task may be later.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// twin: pass/sleep_for_a_signal.rs

pub fn sleep_for_a_signal() {
    let value = Arc::new(AtomicUsize::new(0));
    let setter = {
        let value = value.clone();
        thread::spawn(move || value.store(1, Ordering::SeqCst))
    };
    thread::sleep(Duration::from_secs(1));
    assert_eq!(value.load(Ordering::SeqCst), 1, "a second was not enough");
    setter.join().unwrap();
}
