// Two tasks that answer each other by flags. The follower says that it is ready only when it has
// been let go: each waits for the other.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/handshake.rs

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
        while !self.go.load(SC) {
            thread::yield_now();
        }
        self.ready.store(true, SC);
    }
}

pub fn handshake_both_wait() {
    let flags = Arc::new(Flags::default());
    let follower = {
        let flags = flags.clone();
        thread::spawn(move || flags.follower())
    };
    flags.leader();
    follower.join().unwrap();
}
