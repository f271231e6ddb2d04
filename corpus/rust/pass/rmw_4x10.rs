// Read-modify-writes, 4 x 10 (h4). Four tasks walk round three atomics and add one at each of ten
// steps. Every step is atomic, so none is lost; the schedules are far too many to try them all.
// origin: made to measure bounded search
// verdict: bounded
// preemptions: 2, 252580 executions
// delays rr: 3, 18460 executions
// delays dfs: 3, 16666 executions
// twin: none

const SC: Ordering = Ordering::SeqCst;
const TASKS: usize = 4;
const STEPS: usize = 10;

pub fn rmw_4x10() {
    let counters = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
    let tasks: Vec<_> = (0..TASKS)
        .map(|first| {
            let counters = counters.clone();
            thread::spawn(move || {
                for step in 0..STEPS {
                    counters[(first + step) % 3].fetch_add(1, SC);
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
    let total: usize = counters.iter().map(|counter| counter.load(SC)).sum();
    assert_eq!(total, TASKS * STEPS, "an addition was lost");
}
