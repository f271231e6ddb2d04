// A counter with a retry loop. A task that was overtaken reads the counter again.
// origin: folklore
// verdict: verified, 123 executions
// preemptions: 2, 35 executions
// delays rr: 2, 17 executions
// delays dfs: 2, 16 executions
// unfair: bounded
// twin: fail/cas_counter.rs

fn add_one(counter: &AtomicUsize) {
    let mut seen = counter.load(SC);
    while counter.compare_exchange(seen, seen + 1, SC, SC).is_err() {
        hint::spin_loop();
        seen = counter.load(SC);
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
