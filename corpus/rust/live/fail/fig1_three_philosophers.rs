// Three philosophers who retry. Each takes the fork on its left and tries the one on its right;
// whoever fails puts its fork back and begins again. If each holds one fork whenever its neighbour
// tries it, nobody ever eats.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1
// verdict: bug livelock
// preemptions: 1, 12 executions
// delays rr: 2, 33 executions
// delays dfs: 2, 18 executions
// dfs: not within 5000 executions
// twin: pass/fig1_three_philosophers.rs

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
    eat(&forks[2], &forks[0]);
    for other in others {
        other.join().unwrap();
    }
}
