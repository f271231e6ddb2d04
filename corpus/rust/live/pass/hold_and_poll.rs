// A task polls for a flag that another one sets under a lock. It lets go of the lock on each turn.
// The other one is blocked again and again, but whenever it is not, it may not be passed over for
// ever.
// origin: folklore
// verdict: verified, 23 executions
// preemptions: 2, 13 executions
// delays rr: 2, 13 executions
// delays dfs: 3, 14 executions
// unfair: incomplete
// twin: fail/hold_and_poll.rs, fail/hold_and_try.rs, fail/mutex_spin.rs

fn wait(flag: &Mutex<bool>) {
    while !*flag.lock().unwrap() {
        thread::yield_now();
    }
}

pub fn hold_and_poll() {
    let flag = Arc::new(Mutex::new(false));
    let setter = {
        let flag = flag.clone();
        thread::spawn(move || *flag.lock().unwrap() = true)
    };
    wait(&flag);
    setter.join().unwrap();
}
