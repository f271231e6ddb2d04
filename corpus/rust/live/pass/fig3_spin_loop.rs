// A task waits in a loop for another one to set a variable, with a spin hint on each turn.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3, with a spin hint
// verdict: verified, 12 executions
// preemptions: 2, 10 executions
// delays rr: 2, 10 executions
// delays dfs: 2, 7 executions
// unfair: incomplete
// twin: fail/fig3_no_yield.rs

pub fn fig3_spin_loop() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    while x.load(SC) != 1 {
        hint::spin_loop();
    }
    setter.join().unwrap();
}
