// A sequence lock. A reader begins again, after a yield, if the version is odd or has changed while
// it read.
// origin: folklore
// verdict: verified, 519 executions
// preemptions: 3, 52 executions
// delays rr: 3, 52 executions
// delays dfs: 2, 21 executions
// unfair: incomplete
// twin: fail/seqlock.rs, fail/seqlock_no_recheck.rs

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
                let pair = (self.pair[0].load(SC), self.pair[1].load(SC));
                if self.version.load(SC) == version {
                    return pair;
                }
            }
            thread::yield_now();
        }
    }
}

pub fn seqlock() {
    let lock = Arc::new(SeqLock { version: AtomicUsize::new(0), pair: [const { AtomicUsize::new(0) }; 2] });
    let reader = {
        let lock = lock.clone();
        thread::spawn(move || lock.read())
    };
    lock.write(1);
    let (first, second) = reader.join().unwrap();
    assert_eq!(first, second, "half of a write was read");
}
