// Initialisation checked twice. Two tasks build a cache if it is not built yet: they check without
// the lock, and again under it. Only the second check decides, and nothing can come between it and
// the building.
// origin: Schmidt and Harrison 1996
// verdict: verified, 249 executions
// preemptions: 3, 137 executions
// delays rr: 3, 92 executions
// delays dfs: 3, 92 executions
// twin: fail/double_checked_init.rs

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
        if self.built.load(SC) {
            return;
        }
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
