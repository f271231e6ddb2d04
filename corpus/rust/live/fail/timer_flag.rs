// A task waits until it is cancelled and then sets a flag, for which another one polls before it
// cancels. The wait has no timeout, so the poll has no end.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/timer_flag.rs

pub fn timer_flag() {
    let flag = Arc::new(AtomicBool::new(false));
    let (cancel, cancelled) = mpsc::channel::<()>();
    let timer = {
        let flag = flag.clone();
        thread::spawn(move || {
            assert!(cancelled.recv().is_err());
            flag.store(true, SC);
        })
    };
    while !flag.load(SC) {
        thread::yield_now();
    }
    drop(cancel);
    timer.join().unwrap();
}
