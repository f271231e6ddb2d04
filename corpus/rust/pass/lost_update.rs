// Lost update, fixed (k). Two tasks each increment a counter by one fetch_add. Reading and writing
// are a single operation, so nothing can come between them.
// origin: folklore
// verdict: verified, 19 executions
// preemptions: 3, 19 executions
// delays rr: 3, 17 executions
// delays dfs: 3, 17 executions
// twin: fail/lost_update.rs

const SC: Ordering = Ordering::SeqCst;

pub fn lost_update() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                counter.fetch_add(1, SC);
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(SC), 2, "an increment was lost");
}
