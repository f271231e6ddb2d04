// A task asks for a flag under a lock again and again and never yields. It lets go of the lock on
// each turn, but the one that would set the flag may not be let run before its time is over.
// origin: folklore
// verdict: bug good-samaritan
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// dfs: 1 executions
// twin: pass/hold_and_poll.rs

pub fn mutex_spin() {
    let flag = Arc::new(Mutex::new(false));
    let setter = {
        let flag = flag.clone();
        thread::spawn(move || *flag.lock().unwrap() = true)
    };
    while !*flag.lock().unwrap() {} // loop
    setter.join().unwrap();
}
