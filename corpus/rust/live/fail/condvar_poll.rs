// A flag that is looked at once. The waiter has seen that it was not set, and waits for a
// notification that does not end by its timeout. If it has missed the only one it waits for ever,
// timeout after timeout.
// origin: folklore
// verdict: bug livelock
// preemptions: 2, 9 executions
// delays rr: 2, 7 executions
// delays dfs: 1, 6 executions
// dfs: 23 executions
// twin: pass/condvar_poll.rs

#[derive(Default)]
struct Signal {
    set: AtomicBool,
    lock: Mutex<()>,
    condvar: Condvar,
}

impl Signal {
    fn wait(&self) {
        let mut guard = self.lock.lock().unwrap();
        let mut notified = self.set.load(SC);
        while !notified {
            let (again, result) = self.condvar.wait_timeout(guard, Duration::from_millis(1)).unwrap();
            guard = again;
            notified = !result.timed_out();
        }
    }
}

pub fn condvar_poll() {
    let signal = Arc::new(Signal::default());
    let waiter = {
        let signal = signal.clone();
        thread::spawn(move || signal.wait())
    };
    signal.set.store(true, SC);
    signal.condvar.notify_one();
    waiter.join().unwrap();
}
