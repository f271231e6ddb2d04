// A task polls for a flag that another one sets under a lock, and holds the lock while it polls.
// The other one waits for the lock for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// dfs: 1 executions
// twin: pass/hold_and_poll.rs

fn wait(flag: &Mutex<bool>) {
    let flag = flag.lock().unwrap();
    while !*flag {
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
