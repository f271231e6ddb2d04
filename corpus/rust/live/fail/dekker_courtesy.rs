// Mutual courtesy: Dekker's algorithm without the turn. A task that sees that the other one wants
// to enter takes its own wish back, yields, and says again that it wants to enter. In step with
// each other both do that for ever. Each turn of this costs preemptions.
// origin: Dijkstra 1965
// verdict: bug livelock
// preemptions: 3, 120 executions
// delays rr: 3, 120 executions
// delays dfs: 3, 120 executions
// dfs: not within 5000 executions
// default: bounded
// twin: pass/dekker_wait.rs

struct Dekker {
    wants: [AtomicBool; 2],
}

impl Dekker {
    fn lock(&self, me: usize) {
        let other = 1 - me;
        self.wants[me].store(true, SC);
        while self.wants[other].load(SC) {
            self.wants[me].store(false, SC);
            thread::yield_now();
            self.wants[me].store(true, SC);
        }
    }

    fn unlock(&self, me: usize) {
        self.wants[me].store(false, SC);
    }
}

fn add_one(lock: &Dekker, counter: &AtomicUsize, me: usize) {
    lock.lock(me);
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock(me);
}

pub fn dekker_courtesy() {
    let lock = Dekker { wants: [const { AtomicBool::new(false) }; 2] };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1, 1))
    };
    add_one(&shared.0, &shared.1, 0);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2, "both tasks were in the critical section");
}
