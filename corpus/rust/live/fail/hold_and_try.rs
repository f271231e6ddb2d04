// A task polls for a flag under a lock, and the one that sets it only tries the lock. It can try on
// each turn while the other one holds it; to be passed over so for ever costs preemptions.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 6 executions
// delays rr: 1, 6 executions
// delays dfs: 2, 7 executions
// dfs: 11 executions
// twin: pass/hold_and_poll.rs

fn wait(flag: &Mutex<bool>) {
    while !*flag.lock().unwrap() {
        thread::yield_now();
    }
}

pub fn hold_and_try() {
    let flag = Arc::new(Mutex::new(false));
    let setter = {
        let flag = flag.clone();
        thread::spawn(move || {
            loop {
                if let Ok(mut flag) = flag.try_lock() {
                    *flag = true;
                    return;
                }
            }
        })
    };
    wait(&flag);
    setter.join().unwrap();
}
