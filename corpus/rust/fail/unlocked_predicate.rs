// Unlocked predicate. One task waits on a condition variable until a gate is open, in a proper
// loop; the other opens the gate, an atomic, and notifies without the lock. If both happen after
// the waiter has seen the gate shut and before it sleeps, the notification is lost.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 10 executions
// delays rr: 1, 7 executions
// delays dfs: 1, 5 executions
// twin: pass/unlocked_predicate.rs

const SC: Ordering = Ordering::SeqCst;

struct Gate {
    lock: Mutex<()>,
    opened: Condvar,
    open: AtomicBool,
}

impl Gate {
    fn wait(&self) {
        let mut guard = self.lock.lock().unwrap();
        while !self.open.load(SC) {
            // The gate may open here, unheard.
            guard = self.opened.wait(guard).unwrap();
        }
    }

    fn open(&self) {
        self.open.store(true, SC);
        self.opened.notify_one();
    }
}

pub fn unlocked_predicate() {
    let gate = Arc::new(Gate { lock: Mutex::new(()), opened: Condvar::new(), open: AtomicBool::new(false) });
    let waiter = {
        let gate = gate.clone();
        thread::spawn(move || gate.wait())
    };
    let opener = thread::spawn(move || gate.open());
    waiter.join().unwrap();
    opener.join().unwrap();
}
