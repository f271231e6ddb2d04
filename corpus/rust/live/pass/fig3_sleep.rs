// A task waits in a loop for another one to set a variable, and sleeps on each turn.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3, with a sleep
// verdict: verified, 18 executions
// preemptions: 2, 13 executions
// delays rr: 2, 13 executions
// delays dfs: 2, 8 executions
// unfair: incomplete
// twin: fail/fig3_no_yield.rs

pub fn fig3_sleep() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    while x.load(SC) != 1 {
        thread::sleep(Duration::from_millis(1));
    }
    setter.join().unwrap();
}
