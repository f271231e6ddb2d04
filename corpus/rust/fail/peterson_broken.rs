// Peterson's algorithm with its first two steps exchanged. Each of two tasks gives the turn away
// and then says that it wants to enter; where it would have to wait, it gives up. A task preempted
// between the two steps is invisible to the other, which enters and hands it the turn besides.
// origin: Peterson 1981
// verdict: bug panic
// preemptions: 2, 54 executions
// delays rr: 2, 33 executions
// delays dfs: 2, 27 executions
// twin: pass/peterson.rs

const SC: Ordering = Ordering::SeqCst;

struct Peterson {
    wants: [AtomicBool; 2],
    /// Who goes first if both want to enter.
    turn: AtomicUsize,
    /// Whether a task is in the critical section.
    occupied: AtomicBool,
}

impl Peterson {
    /// Enters and leaves the critical section, unless `me` would have to wait.
    fn try_once(&self, me: usize) {
        let other = 1 - me;
        self.turn.store(other, SC);
        // The other task does not see this one yet, but may set the turn.
        self.wants[me].store(true, SC);
        if !self.wants[other].load(SC) || self.turn.load(SC) == me {
            let occupied = self.occupied.swap(true, SC);
            assert!(!occupied, "both tasks are in the critical section");
            self.occupied.store(false, SC);
        }
        self.wants[me].store(false, SC);
    }
}

pub fn peterson_broken() {
    let lock = Arc::new(Peterson {
        wants: [AtomicBool::new(false), AtomicBool::new(false)],
        turn: AtomicUsize::new(0),
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
