// Unlocked predicate, fixed. One task waits on a condition variable until a gate is open; the other
// opens the gate and notifies under the lock. The waiter holds that lock from its look at the gate
// until it sleeps, so the gate cannot open in between.
// origin: folklore
// verdict: verified, 180 executions
// preemptions: 3, 111 executions
// delays rr: 3, 69 executions
// delays dfs: 3, 93 executions
// twin: fail/unlocked_predicate.rs

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
            guard = self.opened.wait(guard).unwrap();
        }
    }

    fn open(&self) {
        let _guard = self.lock.lock().unwrap();
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
