// Dining philosophers, ordered (c). Three philosophers share three forks; each takes the
// lower-numbered of its two forks first. Whoever holds the highest fork in use waits for nobody, so
// no cycle of waiting philosophers can close.
// origin: Dijkstra 1965
// verdict: bounded
// preemptions: 3, 5617 executions
// delays rr: 3, 651 executions
// delays dfs: 3, 603 executions
// twin: fail/philosophers.rs

pub fn philosophers() {
    let forks = Arc::new([Mutex::new(()), Mutex::new(()), Mutex::new(())]);
    let tasks: Vec<_> = (0..3)
        .map(|seat: usize| {
            let forks = forks.clone();
            thread::spawn(move || {
                let neighbour = (seat + 1) % 3;
                let _first = forks[seat.min(neighbour)].lock().unwrap();
                let _second = forks[seat.max(neighbour)].lock().unwrap();
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
}
