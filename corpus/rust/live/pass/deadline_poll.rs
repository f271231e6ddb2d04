// A task tries a lock until a deadline, then tells the one that holds it to let go. Nobody waits
// for time to pass but the loop that looks at the clock.
// origin: folklore
// verdict: bounded
// preemptions: 2, 137 executions
// delays rr: 2, 137 executions
// delays dfs: 2, 2097 executions
// unfair: incomplete
// twin: fail/deadline_poll.rs

fn take(lock: &Mutex<()>, let_go: &AtomicBool) {
    let deadline = Instant::now() + Duration::from_millis(10);
    while lock.try_lock().is_err() {
        if Instant::now() >= deadline {
            let_go.store(true, SC);
        }
    }
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
    take(&shared.0, &shared.1);
    shared.1.store(true, SC);
    holder.join().unwrap();
}
