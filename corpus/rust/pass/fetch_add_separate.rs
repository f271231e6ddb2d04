// Separate fetch_add (bi). Three tasks each add one twice to an atomic of their own. No two
// operations of different tasks conflict: all schedules belong to a single class.
// origin: folklore
// verdict: verified, 25424 executions
// preemptions: 3, 2692 executions
// delays rr: 3, 279 executions
// delays dfs: 3, 208 executions
// twin: none

const SC: Ordering = Ordering::SeqCst;

pub fn fetch_add_separate() {
    let counters = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
    let tasks: Vec<_> = (0..3)
        .map(|own| {
            let counters = counters.clone();
            thread::spawn(move || {
                for _ in 0..2 {
                    counters[own].fetch_add(1, SC);
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    for counter in counters.iter() {
        assert_eq!(counter.load(SC), 2, "an increment was lost");
    }
}
