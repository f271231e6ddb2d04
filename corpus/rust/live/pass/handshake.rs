// Two tasks that answer each other by flags. Each yields while it waits.
// origin: folklore
// verdict: verified, 279 executions
// preemptions: 2, 39 executions
// delays rr: 2, 39 executions
// delays dfs: 2, 22 executions
// unfair: incomplete
// twin: fail/handshake.rs, fail/handshake_both_wait.rs

#[derive(Default)]
struct Flags {
    ready: AtomicBool,
    go: AtomicBool,
}

impl Flags {
    fn leader(&self) {
        while !self.ready.load(SC) {
            thread::yield_now();
        }
        self.go.store(true, SC);
    }

    fn follower(&self) {
        self.ready.store(true, SC);
        while !self.go.load(SC) {
            thread::yield_now();
        }
    }
}

pub fn handshake() {
    let flags = Arc::new(Flags::default());
    let follower = {
        let flags = flags.clone();
        thread::spawn(move || flags.follower())
    };
    flags.leader();
    follower.join().unwrap();
}
