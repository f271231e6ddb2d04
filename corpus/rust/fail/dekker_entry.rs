// Dekker's entry with its two steps exchanged. Each of two tasks looks whether the other wants to
// enter and then says that it does itself; if the other does, it gives up. If both look before
// either speaks, both enter.
// origin: Dekker, in Dijkstra 1965
// verdict: bug panic
// preemptions: 2, 45 executions
// delays rr: 2, 28 executions
// delays dfs: 2, 23 executions
// twin: pass/dekker_entry.rs

const SC: Ordering = Ordering::SeqCst;

struct Dekker {
    wants: [AtomicBool; 2],
    /// Whether a task is in the critical section.
    occupied: AtomicBool,
}

impl Dekker {
    /// Enters and leaves the critical section, unless the other task wants to enter too.
    fn try_once(&self, me: usize) {
        if self.wants[1 - me].load(SC) {
            return;
        }
        // The other task may look here and not see this one.
        self.wants[me].store(true, SC);
        self.critical_section();
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
