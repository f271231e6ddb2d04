// A test-and-test-and-set lock. A task reads the flag until it is down and then swaps it; if
// another one was faster it waits again.
// origin: folklore
// verdict: verified, 2771 executions
// preemptions: 3, 94 executions
// delays rr: 3, 94 executions
// delays dfs: 3, 113 executions
// unfair: incomplete
// twin: fail/ttas_lock.rs

struct SpinLock(AtomicBool);

impl SpinLock {
    fn lock(&self) {
        loop {
            while self.0.load(SC) {
                thread::yield_now();
            }
            if !self.0.swap(true, SC) {
                return;
            }
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
