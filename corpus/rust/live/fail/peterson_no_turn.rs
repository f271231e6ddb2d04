// Peterson's algorithm without the turn. If both tasks have said that they want to enter, each
// waits for the other to leave.
// origin: Dijkstra 1965
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// dfs: 135 executions
// twin: pass/peterson_wait.rs

struct Peterson {
    wants: [AtomicBool; 2],
}

impl Peterson {
    fn lock(&self, me: usize) {
        let other = 1 - me;
        self.wants[me].store(true, SC);
        while self.wants[other].load(SC) {
            thread::yield_now();
        }
    }

    fn unlock(&self, me: usize) {
        self.wants[me].store(false, SC);
    }
}

fn add_one(lock: &Peterson, counter: &AtomicUsize, me: usize) {
    lock.lock(me);
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock(me);
}

pub fn peterson_no_turn() {
    let lock = Peterson { wants: [const { AtomicBool::new(false) }; 2] };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1, 1))
    };
    add_one(&shared.0, &shared.1, 0);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2, "both tasks were in the critical section");
}
