// A task waits in a loop for another one to set a variable and never yields. It may use up its time
// before the other one can run.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3, without the yield
// verdict: bug good-samaritan
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 1, 2 executions
// dfs: 1 executions
// twin: pass/fig3_spin_wait.rs

pub fn fig3_no_yield() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    while x.load(SC) != 1 {} // loop
    setter.join().unwrap();
}
