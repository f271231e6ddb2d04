// A lock that tests and then sets. Two tasks that both see the flag down both raise it and enter.
// origin: folklore
// verdict: bug panic
// preemptions: 2, 14 executions
// delays rr: 2, 14 executions
// delays dfs: 2, 14 executions
// dfs: 121 executions
// twin: pass/ttas_lock.rs

struct SpinLock(AtomicBool);

impl SpinLock {
    fn lock(&self) {
        while self.0.load(SC) {
            thread::yield_now();
        }
        self.0.store(true, SC);
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

pub fn ttas_lock() {
    let shared = Arc::new((SpinLock(AtomicBool::new(false)), AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1))
    };
    add_one(&shared.0, &shared.1);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2, "both tasks were in the critical section");
}
