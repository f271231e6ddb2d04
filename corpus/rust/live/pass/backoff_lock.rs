// A lock with exponential backoff. A task that finds it taken waits for twice as many turns as the
// last time, up to a limit.
// origin: folklore
// verdict: verified, 401 executions
// preemptions: 2, 21 executions
// delays rr: 2, 21 executions
// delays dfs: 2, 27 executions
// unfair: incomplete
// twin: fail/backoff_lock.rs

struct SpinLock(AtomicBool);

impl SpinLock {
    fn lock(&self) {
        let mut pause = 1;
        while self.0.swap(true, SC) {
            for _ in 0..pause {
                hint::spin_loop();
            }
            pause = (2 * pause).min(4);
        }
    }

    fn unlock(&self) {
        self.0.store(false, SC);
    }
}

fn add_one(lock: &SpinLock, counter: &AtomicUsize) {
    lock.lock();
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock();
}

pub fn backoff_lock() {
    let shared = Arc::new((SpinLock(AtomicBool::new(false)), AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1))
    };
    add_one(&shared.0, &shared.1);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2);
}
