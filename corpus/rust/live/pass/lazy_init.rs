// A value that is made once, with others sleeping meanwhile. If making it fails, the next one
// tries.
// origin: folklore
// verdict: verified, 1248 executions
// preemptions: 2, 26 executions
// delays rr: 2, 26 executions
// delays dfs: 2, 31 executions
// unfair: incomplete
// twin: fail/lazy_init.rs

const EMPTY: usize = 0;
const BUSY: usize = 1;
const READY: usize = 2;

struct Lazy {
    state: AtomicUsize,
    attempts: AtomicUsize,
}

impl Lazy {
    /// The first attempt fails.
    fn make(&self) -> bool {
        self.attempts.fetch_add(1, SC) > 0
    }

    /// Whether there is a value.
    fn get(&self) -> bool {
        while self.state.load(SC) != READY {
            if self.state.compare_exchange(EMPTY, BUSY, SC, SC).is_ok() {
                let made = self.make();
                self.state.store(if made { READY } else { EMPTY }, SC);
                return made;
            }
            thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

pub fn lazy_init() {
    let lazy = Arc::new(Lazy { state: AtomicUsize::new(EMPTY), attempts: AtomicUsize::new(0) });
    let other = {
        let lazy = lazy.clone();
        thread::spawn(move || lazy.get())
    };
    let mine = lazy.get();
    assert!(mine || other.join().unwrap(), "the second attempt succeeds");
}
