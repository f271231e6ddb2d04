// A sequence lock whose readers look at the version once. A reader that meets a writer at work, or
// is overtaken by one, begins again with the old version and will never find it unchanged.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// dfs: 2 executions
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
        let version = self.version.load(SC);
        loop {
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
