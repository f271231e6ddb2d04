// A promise that is waited for by sleeping. The waiter keeps the value that it read first. If that
// was not yet the one it waits for, it sleeps for ever.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 8
// verdict: bug livelock
// preemptions: 1, 2 executions
// delays rr: 1, 2 executions
// delays dfs: 0, 1 executions
// dfs: 2 executions
// twin: pass/fig8_stale_copy.rs

fn wait(x: &AtomicUsize) {
    let seen = x.load(SC);
    while seen != 1 {
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
