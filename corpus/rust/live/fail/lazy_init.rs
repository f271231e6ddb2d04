// A value that is made once, with others sleeping meanwhile. If making it fails it is still said to
// be in the making, and who waits for it sleeps for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/lazy_init.rs

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
                if made {
                    self.state.store(READY, SC);
                }
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
