// Dekker's algorithm. If both tasks want to enter, the one whose turn it is not takes its wish
// back, yields until it has the turn, and only then says again that it wants to enter.
// origin: Dijkstra 1965
// verdict: bounded
// preemptions: 4, 1215 executions
// delays rr: 4, 1215 executions
// delays dfs: 4, 1700 executions
// unfair: incomplete
// twin: fail/dekker_courtesy.rs

struct Dekker {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
}

impl Dekker {
    fn lock(&self, me: usize) {
        let other = 1 - me;
        self.wants[me].store(true, SC);
        while self.wants[other].load(SC) {
            if self.turn.load(SC) == other {
                self.wants[me].store(false, SC);
                while self.turn.load(SC) == other {
                    thread::yield_now();
                }
                self.wants[me].store(true, SC);
            } else {
                thread::yield_now();
            }
        }
    }

    fn unlock(&self, me: usize) {
        self.turn.store(1 - me, SC);
        self.wants[me].store(false, SC);
    }
}

fn add_one(lock: &Dekker, counter: &AtomicUsize, me: usize) {
    lock.lock(me);
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock(me);
}

pub fn dekker_wait() {
    let lock = Dekker { wants: [const { AtomicBool::new(false) }; 2], turn: AtomicUsize::new(0) };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1, 1))
    };
    add_one(&shared.0, &shared.1, 0);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2, "both tasks were in the critical section");
}
