// Barrier without rounds. Two tasks meet twice at a barrier that counts arrivals and goes back to
// zero when all are there; a task sleeps until it sees the zero. The last to arrive may come round
// again before the sleeper has looked: the count is one again, and both sleep for ever.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/barrier_reuse.rs

const TASKS: usize = 2;

struct Barrier {
    arrived: Mutex<usize>,
    complete: Condvar,
}

impl Barrier {
    fn wait(&self) {
        let mut arrived = self.arrived.lock().unwrap();
        *arrived += 1;
        if *arrived == TASKS {
            *arrived = 0;
            self.complete.notify_all();
        }
        while *arrived != 0 {
            arrived = self.complete.wait(arrived).unwrap();
        }
    }
}

pub fn barrier_reuse() {
    let barrier = Arc::new(Barrier { arrived: Mutex::new(0), complete: Condvar::new() });
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let barrier = barrier.clone();
            thread::spawn(move || {
                for _round in 0..2 {
                    barrier.wait();
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
}
