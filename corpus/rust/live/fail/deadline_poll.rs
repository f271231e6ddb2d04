// A task tries a lock until it gets it, while the one that holds it waits to be told to let go.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 2 executions
// delays rr: 1, 2 executions
// delays dfs: 0, 1 executions
// dfs: 7 executions
// twin: pass/deadline_poll.rs

fn take(lock: &Mutex<()>) {
    while lock.try_lock().is_err() {}
}

pub fn deadline_poll() {
    let shared = Arc::new((Mutex::new(()), AtomicBool::new(false)));
    let holder = {
        let shared = shared.clone();
        thread::spawn(move || {
            let _held = shared.0.lock().unwrap();
            while !shared.1.load(SC) {
                thread::yield_now();
            }
        })
    };
    take(&shared.0);
    shared.1.store(true, SC);
    holder.join().unwrap();
}
