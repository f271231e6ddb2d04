// A spinning barrier without sense, used twice. The last to arrive sets the count back to zero, for
// which the other one waits. If it is already in the second round when the other one looks, both
// wait for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/spin_barrier.rs

struct Barrier {
    arrived: AtomicUsize,
}

impl Barrier {
    fn wait(&self) {
        if self.arrived.fetch_add(1, SC) == 1 {
            self.arrived.store(0, SC);
        }
        while self.arrived.load(SC) != 0 {
            hint::spin_loop();
        }
    }
}

fn rounds(barrier: &Barrier) {
    barrier.wait();
    barrier.wait();
}

pub fn spin_barrier() {
    let barrier = Arc::new(Barrier { arrived: AtomicUsize::new(0) });
    let other = {
        let barrier = barrier.clone();
        thread::spawn(move || rounds(&barrier))
    };
    rounds(&barrier);
    other.join().unwrap();
}
