// A flag that is set without the lock of the condvar. A notification can be missed, but the wait
// has a timeout, and the flag is looked at on each turn.
// origin: folklore
// verdict: verified, 62 executions
// preemptions: 3, 42 executions
// delays rr: 3, 32 executions
// delays dfs: 2, 29 executions
// unfair: bounded
// twin: fail/condvar_poll.rs

#[derive(Default)]
struct Signal {
    set: AtomicBool,
    lock: Mutex<()>,
    condvar: Condvar,
}

impl Signal {
    fn wait(&self) {
        let mut guard = self.lock.lock().unwrap();
        while !self.set.load(SC) {
            guard = self.condvar.wait_timeout(guard, Duration::from_millis(1)).unwrap().0;
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
