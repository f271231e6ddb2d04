// A lock whose backoff is no backoff. The pause begins with no turn at all, and twice nothing is
// nothing: a task that finds the lock taken swaps again and again without a break.
// origin: folklore
// verdict: bug good-samaritan
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// dfs: 2 executions
// twin: pass/backoff_lock.rs

struct SpinLock(AtomicBool);

impl SpinLock {
    fn lock(&self) {
        let mut pause = 0;
        while self.0.swap(true, SC) { // loop
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
