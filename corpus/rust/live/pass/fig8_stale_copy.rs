// A promise that is waited for by sleeping. The waiter reads the variable again after each sleep.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 8
// verdict: verified, 6 executions
// preemptions: 2, 6 executions
// delays rr: 2, 6 executions
// delays dfs: 2, 6 executions
// unfair: incomplete
// twin: fail/fig8_stale_copy.rs

fn wait(x: &AtomicUsize) {
    while x.load(SC) != 1 {
        thread::sleep(Duration::from_millis(1));
    }
}

pub fn fig8_stale_copy() {
    let x = Arc::new(AtomicUsize::new(0));
    let waiter = {
        let x = x.clone();
        thread::spawn(move || wait(&x))
    };
    x.store(1, SC);
    waiter.join().unwrap();
}
