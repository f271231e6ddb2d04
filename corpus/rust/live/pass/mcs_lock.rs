// The queue lock of Mellor-Crummey and Scott. A task waits at a flag of its own, which its
// predecessor lowers. Who unlocks and sees no successor takes itself out of the queue by compare-
// exchange; if that fails, a successor is on its way and is waited for.
// origin: Mellor-Crummey and Scott 1991
// verdict: bounded
// preemptions: 2, 55 executions
// delays rr: 2, 55 executions
// delays dfs: 2, 63 executions
// unfair: incomplete
// twin: fail/mcs_lock.rs

/// Tasks are numbered from 1; 0 is nobody.
struct McsLock {
    tail: AtomicUsize,
    next: [AtomicUsize; 3],
    waits: [AtomicBool; 3],
}

impl McsLock {
    fn lock(&self, me: usize) {
        self.waits[me].store(true, SC);
        let before = self.tail.swap(me, SC);
        if before != 0 {
            self.next[before].store(me, SC);
            while self.waits[me].load(SC) {
                thread::yield_now();
            }
        }
    }

    fn unlock(&self, me: usize) {
        if self.next[me].load(SC) == 0 {
            if self.tail.compare_exchange(me, 0, SC, SC).is_ok() {
                return;
            }
            while self.next[me].load(SC) == 0 {
                thread::yield_now();
            }
        }
        self.waits[self.next[me].load(SC)].store(false, SC);
    }
}

fn add_one(lock: &McsLock, counter: &AtomicUsize, me: usize) {
    lock.lock(me);
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock(me);
}

pub fn mcs_lock() {
    let lock = McsLock {
        tail: AtomicUsize::new(0),
        next: [const { AtomicUsize::new(0) }; 3],
        waits: [const { AtomicBool::new(false) }; 3],
    };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1, 2))
    };
    add_one(&shared.0, &shared.1, 1);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2);
}
