// Two tasks that answer each other by flags. The leader yields while it waits, the follower does
// not: as soon as it is let run it spins in the way of the leader, who would let it go.
// origin: folklore
// verdict: bug good-samaritan
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
        self.ready.store(true, SC);
        while !self.go.load(SC) {} // loop
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
