// Dekker's entry. Each of two tasks says that it wants to enter and then looks whether the other
// does; if so, it gives up. Whichever looks second sees the other's wish, so at most one of them
// enters.
// origin: Dekker, in Dijkstra 1965
// verdict: verified, 993 executions
// preemptions: 3, 283 executions
// delays rr: 3, 197 executions
// delays dfs: 3, 197 executions
// twin: fail/dekker_entry.rs

const SC: Ordering = Ordering::SeqCst;

struct Dekker {
    wants: [AtomicBool; 2],
    /// Whether a task is in the critical section.
    occupied: AtomicBool,
}

impl Dekker {
    /// Enters and leaves the critical section, unless the other task wants to enter too.
    fn try_once(&self, me: usize) {
        self.wants[me].store(true, SC);
        if !self.wants[1 - me].load(SC) {
            self.critical_section();
        }
        self.wants[me].store(false, SC);
    }

    fn critical_section(&self) {
        let occupied = self.occupied.swap(true, SC);
        assert!(!occupied, "both tasks are in the critical section");
        self.occupied.store(false, SC);
    }
}

pub fn dekker_entry() {
    let lock = Arc::new(Dekker {
        wants: [AtomicBool::new(false), AtomicBool::new(false)],
        occupied: AtomicBool::new(false),
    });
    let tasks: Vec<_> = (0..2)
        .map(|me| {
            let lock = lock.clone();
            thread::spawn(move || lock.try_once(me))
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
}
