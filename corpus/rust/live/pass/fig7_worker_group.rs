// A worker group with a yield in the worker's own loop. When the group has stopped and the worker
// has not, idling ends at once, but the worker gives way before it tries again.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 7
// verdict: verified, 102 executions
// preemptions: 2, 26 executions
// delays rr: 2, 26 executions
// delays dfs: 2, 31 executions
// unfair: incomplete
// twin: fail/fig7_worker_group.rs

struct Group {
    stop: AtomicBool,
    tasks: AtomicUsize,
}

impl Group {
    /// Takes a task, if there is one.
    fn pop(&self) -> bool {
        self.tasks.fetch_update(SC, SC, |tasks| tasks.checked_sub(1)).is_ok()
    }

    /// Waits for a task, or for the end of the group.
    fn idle(&self) -> bool {
        while !self.stop.load(SC) {
            if self.pop() {
                return true;
            }
            thread::yield_now();
        }
        false
    }
}

struct Worker {
    stop: AtomicBool,
}

impl Worker {
    fn run(&self, group: &Group) {
        let mut task = group.pop();
        while !self.stop.load(SC) {
            while task && !self.stop.load(SC) {
                task = group.pop();
            }
            if !self.stop.load(SC) {
                task = group.idle();
                thread::yield_now();
            }
        }
    }
}

pub fn fig7_worker_group() {
    let group = Arc::new(Group { stop: AtomicBool::new(false), tasks: AtomicUsize::new(1) });
    let worker = Arc::new(Worker { stop: AtomicBool::new(false) });
    let runs = {
        let (group, worker) = (group.clone(), worker.clone());
        thread::spawn(move || worker.run(&group))
    };
    group.stop.store(true, SC);
    worker.stop.store(true, SC);
    runs.join().unwrap();
}
