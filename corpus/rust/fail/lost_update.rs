// Lost update (k). Two tasks each increment a counter by a load followed by a store. If one of them
// is preempted between its load and its store, the other's increment is overwritten.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/lost_update.rs

const SC: Ordering = Ordering::SeqCst;

pub fn lost_update() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                let seen = counter.load(SC);
                counter.store(seen + 1, SC);
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(SC), 2, "an increment was lost");
}
