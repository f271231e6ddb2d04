// A task waits in a loop for another one to set a variable, and yields on each turn. Without
// fairness the loop could go on for ever. After the second yield in vain the other task must run;
// the store can come after 0 to 4 steps of the loop, and what is left of the two tasks then
// interleaves in 2 ways where the task is about to load and in 3 where it is about to yield: 12
// executions.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3
// verdict: verified, 12 executions
// preemptions: 2, 10 executions
// delays rr: 2, 10 executions
// delays dfs: 2, 7 executions
// unfair: incomplete
// twin: fail/fig3_no_yield.rs

pub fn fig3_spin_wait() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    while x.load(SC) != 1 {
        thread::yield_now();
    }
    setter.join().unwrap();
}
