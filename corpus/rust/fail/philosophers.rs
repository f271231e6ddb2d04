// Dining philosophers (c). Three philosophers share three forks; each takes the fork on the left,
// then the one on the right. If all of them hold their left fork, each waits for a neighbour for
// ever.
// origin: Dijkstra 1965
// verdict: bug deadlock
// preemptions: 1, 36 executions
// delays rr: 2, 62 executions
// delays dfs: 2, 28 executions
// twin: pass/philosophers.rs

pub fn philosophers() {
    let forks = Arc::new([Mutex::new(()), Mutex::new(()), Mutex::new(())]);
    let tasks: Vec<_> = (0..3)
        .map(|seat| {
            let forks = forks.clone();
            thread::spawn(move || {
                let _left = forks[seat].lock().unwrap();
                let _right = forks[(seat + 1) % 3].lock().unwrap();
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap();
    }
}
