// A counter with a retry loop that does not read again. A task that was overtaken compares with
// what the counter was, and never will be again.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 3 executions
// dfs: 11 executions
// twin: pass/cas_counter.rs

fn add_one(counter: &AtomicUsize) {
    let seen = counter.load(SC);
    while counter.compare_exchange(seen, seen + 1, SC, SC).is_err() {
        hint::spin_loop();
    }
}

pub fn cas_counter() {
    let counter = Arc::new(AtomicUsize::new(0));
    let others: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || add_one(&counter))
        })
        .collect();
    for other in others {
        other.join().unwrap();
    }
    assert_eq!(counter.load(SC), 2);
}
