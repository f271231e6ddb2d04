// Two philosophers whose forks are flags, taken in order. Whoever cannot have both forks puts down
// what it has, yields and begins again. Whoever has fork 0 finds fork 1 free or about to be put
// down.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1, with the yield at the end of the loop
// verdict: verified, 1144 executions
// preemptions: 4, 176 executions
// delays rr: 4, 176 executions
// delays dfs: 4, 259 executions
// unfair: incomplete
// twin: fail/fig1_spin_forks.rs

fn take(fork: &AtomicBool) -> bool {
    fork.compare_exchange(false, true, SC, SC).is_ok()
}

fn eat(first: &AtomicBool, second: &AtomicBool) {
    loop {
        if take(first) {
            if take(second) {
                break;
            }
            first.store(false, SC);
        }
        thread::yield_now();
    }
    first.store(false, SC);
    second.store(false, SC);
}

pub fn fig1_spin_forks() {
    let forks = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let other = {
        let forks = forks.clone();
        thread::spawn(move || eat(&forks[0], &forks[1]))
    };
    eat(&forks[0], &forks[1]);
    other.join().unwrap();
}
