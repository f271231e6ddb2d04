// Two philosophers who retry, with forks in order. Both take fork 0 first and then try fork 1.
// Whoever fails puts fork 0 back and begins again, which can go on for ever only while the other,
// who could put fork 1 down, is never let run.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1
// verdict: verified, 36 executions
// preemptions: 2, 9 executions
// delays rr: 2, 9 executions
// delays dfs: 2, 13 executions
// unfair: incomplete
// twin: fail/fig1_philosophers.rs

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

pub fn fig1_philosophers() {
    let forks = Arc::new([Mutex::new(()), Mutex::new(())]);
    let other = {
        let forks = forks.clone();
        thread::spawn(move || eat(&forks[0], &forks[1]))
    };
    eat(&forks[0], &forks[1]);
    other.join().unwrap();
}
