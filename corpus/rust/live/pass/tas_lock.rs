// A test-and-set lock. Each of two tasks reads a counter, takes the lock and adds one if nobody
// else has changed it; either way it unlocks.
// origin: folklore
// verdict: verified, 1877 executions
// preemptions: 2, 31 executions
// delays rr: 2, 31 executions
// delays dfs: 2, 37 executions
// unfair: incomplete
// twin: fail/tas_lock.rs

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
    if counter.load(SC) == seen {
        counter.store(seen + 1, SC);
    }
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
