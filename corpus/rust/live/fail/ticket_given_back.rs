// A ticket lock with a ticket that nobody uses. A task that would have to wait draws another
// ticket; the one that it leaves is served for ever, and the other one never.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// dfs: 2 executions
// twin: pass/ticket_lock.rs

struct TicketLock {
    next: AtomicUsize,
    serving: AtomicUsize,
}

impl TicketLock {
    fn lock(&self) -> usize {
        let mut ticket = self.next.fetch_add(1, SC);
        if self.serving.load(SC) != ticket {
            ticket = self.next.fetch_add(1, SC);
        }
        while self.serving.load(SC) != ticket {
            hint::spin_loop();
        }
        ticket
    }

    fn unlock(&self, ticket: usize) {
        self.serving.store(ticket + 1, SC);
    }
}

fn add_one(lock: &TicketLock, counter: &AtomicUsize) {
    let ticket = lock.lock();
    counter.store(counter.load(SC) + 1, SC);
    lock.unlock(ticket);
}

pub fn ticket_given_back() {
    let lock = TicketLock { next: AtomicUsize::new(0), serving: AtomicUsize::new(0) };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1))
    };
    add_one(&shared.0, &shared.1);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2, "both tasks were in the critical section");
}
