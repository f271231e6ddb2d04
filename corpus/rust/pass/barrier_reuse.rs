// Barrier with rounds. Two tasks meet twice at a barrier that counts arrivals and numbers its
// rounds; a task sleeps until the number is no longer that of its own round. The number never comes
// back, so a sleeper that looks late still sees that its round is over.
// origin: folklore
// verdict: verified, 1130 executions
// preemptions: 3, 521 executions
// delays rr: 3, 268 executions
// delays dfs: 3, 279 executions
// twin: fail/barrier_reuse.rs

const TASKS: usize = 2;

struct Barrier {
    state: Mutex<State>,
    complete: Condvar,
}

struct State {
    arrived: usize,
    round: usize,
}

impl Barrier {
    fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        let round = state.round;
        state.arrived += 1;
        if state.arrived == TASKS {
            state.arrived = 0;
            state.round += 1;
            self.complete.notify_all();
        }
        while state.round == round {
            state = self.complete.wait(state).unwrap();
        }
    }
}

pub fn barrier_reuse() {
    let barrier =
        Arc::new(Barrier { state: Mutex::new(State { arrived: 0, round: 0 }), complete: Condvar::new() });
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
