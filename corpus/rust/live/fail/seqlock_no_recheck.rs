// A sequence lock whose readers wait until no writer is at work and do not look again. A writer
// that begins while they read is not noticed.
// origin: folklore
// verdict: bug panic
// preemptions: 2, 7 executions
// delays rr: 2, 7 executions
// delays dfs: 1, 4 executions
// dfs: 111 executions
// twin: pass/seqlock.rs

struct SeqLock {
    version: AtomicUsize,
    pair: [AtomicUsize; 2],
}

impl SeqLock {
    fn write(&self, value: usize) {
        self.version.fetch_add(1, SC);
        self.pair[0].store(value, SC);
        self.pair[1].store(value, SC);
        self.version.fetch_add(1, SC);
    }

    fn read(&self) -> (usize, usize) {
        loop {
            let version = self.version.load(SC);
            if version.is_multiple_of(2) {
                return (self.pair[0].load(SC), self.pair[1].load(SC));
            }
            thread::yield_now();
        }
    }
}

pub fn seqlock_no_recheck() {
    let lock = Arc::new(SeqLock { version: AtomicUsize::new(0), pair: [const { AtomicUsize::new(0) }; 2] });
    let reader = {
        let lock = lock.clone();
        thread::spawn(move || lock.read())
    };
    lock.write(1);
    let (first, second) = reader.join().unwrap();
    assert_eq!(first, second, "half of a write was read");
}
