// A test-and-set lock that is left locked. A task that finds its counter changed by the other one
// returns without unlocking; whoever wants the lock after that spins for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// dfs: 7 executions
// twin: pass/tas_lock.rs

struct SpinLock(AtomicBool);

impl SpinLock {
    fn lock(&self) {
        while self.0.swap(true, SC) {
            hint::spin_loop();
        }
    }

    fn unlock(&self) {
        self.0.store(false, SC);
    }
}

fn add_one(lock: &SpinLock, counter: &AtomicUsize) {
    let seen = counter.load(SC);
    lock.lock();
    if counter.load(SC) != seen {
        return;
    }
    counter.store(seen + 1, SC);
    lock.unlock();
}

pub fn tas_lock() {
    let shared = Arc::new((SpinLock(AtomicBool::new(false)), AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1))
    };
    add_one(&shared.0, &shared.1);
    other.join().unwrap();
    shared.0.lock();
    assert!(shared.1.load(SC) > 0);
    shared.0.unlock();
}
