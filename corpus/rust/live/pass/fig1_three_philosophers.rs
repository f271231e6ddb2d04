// Three philosophers who retry, with forks in order. Each takes the lower of its two forks first,
// so the one with the highest fork can always go on.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1
// verdict: bounded
// preemptions: 2, 223 executions
// delays rr: 3, 457 executions
// delays dfs: 3, 327 executions
// unfair: incomplete
// twin: fail/fig1_three_philosophers.rs

fn eat(first: &Mutex<()>, second: &Mutex<()>) {
    loop {
        let held = first.lock().unwrap();
        if let Ok(other) = second.try_lock() {
            drop(held);
            drop(other);
            return;
        }
        drop(held);
    }
}

pub fn fig1_three_philosophers() {
    let forks = Arc::new([Mutex::new(()), Mutex::new(()), Mutex::new(())]);
    let others: Vec<_> = [(0, 1), (1, 2)]
        .map(|(first, second)| {
            let forks = forks.clone();
            thread::spawn(move || eat(&forks[first], &forks[second]))
        })
        .into();
    eat(&forks[0], &forks[2]);
    for other in others {
        other.join().unwrap();
    }
}
