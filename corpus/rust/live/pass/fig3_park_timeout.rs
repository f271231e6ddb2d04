// A task waits in a loop for another one to set a variable, and parks on each turn for a while.
// Nobody unparks it.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3, with a park that has a timeout
// verdict: verified, 29 executions
// preemptions: 2, 27 executions
// delays rr: 2, 23 executions
// delays dfs: 2, 14 executions
// unfair: bounded
// twin: fail/fig3_no_yield.rs

pub fn fig3_park_timeout() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    while x.load(SC) != 1 {
        thread::park_timeout(Duration::from_millis(1));
    }
    setter.join().unwrap();
}
