// A queue lock whose places are used again too early. A task keeps its own place. When it comes
// back and nobody has come meanwhile, it is its own predecessor and waits for itself; if somebody
// has, each waits for the other.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/clh_lock.rs

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
    fn unlock(&self, place: usize, _before: usize) -> usize {
        self.taken[place].store(false, SC);
        place
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
