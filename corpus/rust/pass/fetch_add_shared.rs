// Shared fetch_add (b). Three tasks each add one twice to the same atomic. Every two operations of
// different tasks conflict, so each of the 90 orders of the six operations is a class of its own.
// origin: folklore
// verdict: verified, 25424 executions
// preemptions: 3, 2692 executions
// delays rr: 3, 279 executions
// delays dfs: 3, 208 executions
// twin: none

const SC: Ordering = Ordering::SeqCst;

pub fn fetch_add_shared() {
    let counter = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..2 {
                    counter.fetch_add(1, SC);
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    assert_eq!(counter.load(SC), 6, "an increment was lost");
}
