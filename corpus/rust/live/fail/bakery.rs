// Lamport's bakery without the flag that says that a task is drawing its number. A task that has
// drawn and not yet shown its number is not waited for; when it shows the same number as the other
// one it may go first.
// origin: Lamport 1974
// verdict: bug panic
// preemptions: 2, 17 executions
// delays rr: 2, 17 executions
// delays dfs: 3, 57 executions
// dfs: 805 executions
// twin: pass/bakery.rs

struct Bakery {
    number: [AtomicUsize; 2],
}

impl Bakery {
    fn lock(&self, me: usize) {
        let other = 1 - me;
        let number = self.number[other].load(SC) + 1;
        self.number[me].store(number, SC);
        while self.goes_first(other, number, me) {
            thread::yield_now();
        }
    }

    fn goes_first(&self, other: usize, number: usize, me: usize) -> bool {
        let others = self.number[other].load(SC);
        others != 0 && (others, other) < (number, me)
    }

    fn unlock(&self, me: usize) {
        self.number[me].store(0, SC);
    }
}

fn add_one(lock: &Bakery, counter: &AtomicUsize, me: usize) {
    lock.lock(me);
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock(me);
}

pub fn bakery() {
    let lock = Bakery { number: [const { AtomicUsize::new(0) }; 2] };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1, 1))
    };
    add_one(&shared.0, &shared.1, 0);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2, "both tasks were in the critical section");
}
