// A task waits for a timeout and then sets a flag, for which another one polls. The one that polls
// can always run, but it may not keep time from passing for ever.
// origin: folklore
// verdict: verified, 1704 executions
// preemptions: 2, 135 executions
// delays rr: 2, 97 executions
// delays dfs: 2, 64 executions
// unfair: incomplete
// twin: fail/timer_flag.rs

pub fn timer_flag() {
    let flag = Arc::new(AtomicBool::new(false));
    let (cancel, cancelled) = mpsc::channel::<()>();
    let timer = {
        let flag = flag.clone();
        thread::spawn(move || {
            assert!(cancelled.recv_timeout(Duration::from_secs(1)).is_err());
            flag.store(true, SC);
        })
    };
    while !flag.load(SC) {
        thread::yield_now();
    }
    drop(cancel);
    timer.join().unwrap();
}
