// The queue lock of Craig, Landin and Hagersten. A task waits at the flag of its predecessor. When
// it unlocks it lowers its own flag and takes its predecessor's for the next time.
// origin: Craig 1993
// verdict: bounded
// preemptions: 2, 129 executions
// delays rr: 2, 129 executions
// delays dfs: 2, 71 executions
// unfair: incomplete
// twin: fail/clh_lock.rs

struct ClhLock {
    tail: AtomicUsize,
    taken: [AtomicBool; 3],
}

impl ClhLock {
    /// The place of the predecessor.
    fn lock(&self, place: usize) -> usize {
        self.taken[place].store(true, SC);
        let before = self.tail.swap(place, SC);
        while self.taken[before].load(SC) {
            thread::yield_now();
        }
        before
    }

    /// The place for the next time.
    fn unlock(&self, place: usize, before: usize) -> usize {
        self.taken[place].store(false, SC);
        before
    }
}

fn add(lock: &ClhLock, counter: &AtomicUsize, mut place: usize, times: usize) {
    for _ in 0..times {
        let before = lock.lock(place);
        counter.store(counter.load(SC) + 1, SC);
        place = lock.unlock(place, before);
    }
}

pub fn clh_lock() {
    let lock = ClhLock { tail: AtomicUsize::new(0), taken: [const { AtomicBool::new(false) }; 3] };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add(&shared.0, &shared.1, 1, 1))
    };
    add(&shared.0, &shared.1, 2, 2);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 3);
}
