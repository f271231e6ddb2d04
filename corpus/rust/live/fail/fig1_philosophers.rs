// Two philosophers who retry. Each takes the fork of its own side and tries the other one; whoever
// fails puts its fork back and begins again. If both hold their first fork whenever the other tries
// it, neither ever eats, and both keep running.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// dfs: 2 executions
// twin: pass/fig1_philosophers.rs

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
        thread::spawn(move || eat(&forks[1], &forks[0]))
    };
    eat(&forks[0], &forks[1]);
    other.join().unwrap();
}
