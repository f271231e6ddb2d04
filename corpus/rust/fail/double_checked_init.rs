// Initialisation checked once. Two tasks build a cache if it is not built yet: they check without
// the lock and build under it. A task preempted between its check and the lock builds the cache
// again.
// origin: Schmidt and Harrison 1996
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/double_checked_init.rs

const SC: Ordering = Ordering::SeqCst;

struct Cache {
    built: AtomicBool,
    /// How often the cache was built.
    builds: Mutex<usize>,
}

impl Cache {
    fn build_once(&self) {
        if self.built.load(SC) {
            return;
        }
        let mut builds = self.builds.lock().unwrap();
        *builds += 1;
        self.built.store(true, SC);
    }
}

pub fn double_checked_init() {
    let cache = Arc::new(Cache { built: AtomicBool::new(false), builds: Mutex::new(0) });
    let users: Vec<_> = (0..2)
        .map(|_| {
            let cache = cache.clone();
            thread::spawn(move || cache.build_once())
        })
        .collect();
    for user in users {
        user.join().unwrap();
    }
    assert_eq!(*cache.builds.lock().unwrap(), 1, "the cache was not built exactly once");
}
