// A spinning barrier with sense reversal, used twice. Each round has its own sense, so that a task
// that is late for the first round is not confused by one that is early for the second.
// origin: Hensgen, Finkel and Manber 1988
// verdict: bounded
// preemptions: 2, 163 executions
// delays rr: 2, 163 executions
// delays dfs: 2, 173 executions
// unfair: incomplete
// twin: fail/spin_barrier.rs

struct Barrier {
    arrived: AtomicUsize,
    sense: AtomicBool,
}

impl Barrier {
    fn wait(&self, sense: bool) {
        if self.arrived.fetch_add(1, SC) == 1 {
            self.arrived.store(0, SC);
            self.sense.store(sense, SC);
        }
        while self.sense.load(SC) != sense {
            hint::spin_loop();
        }
    }
}

fn rounds(barrier: &Barrier) {
    barrier.wait(true);
    barrier.wait(false);
}

pub fn spin_barrier() {
    let barrier = Arc::new(Barrier { arrived: AtomicUsize::new(0), sense: AtomicBool::new(false) });
    let other = {
        let barrier = barrier.clone();
        thread::spawn(move || rounds(&barrier))
    };
    rounds(&barrier);
    other.join().unwrap();
}
