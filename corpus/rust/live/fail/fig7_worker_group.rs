// A worker group that shuts down. Between the store that stops the group and the one that stops the
// worker, a worker without tasks finds no reason to idle and none to end: its outer loop spins
// without a yield, perhaps in the way of who would stop it.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 7
// verdict: bug good-samaritan
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 14 executions
// dfs: 2 executions
// twin: pass/fig7_worker_group.rs

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
        while !self.stop.load(SC) { // loop
            while task && !self.stop.load(SC) {
                task = group.pop();
            }
            if !self.stop.load(SC) {
                task = group.idle();
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
