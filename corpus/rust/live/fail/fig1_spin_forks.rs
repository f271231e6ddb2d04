// Two philosophers whose forks are flags. Each takes its own fork, tries the other one, and puts
// its own back, yields and begins again if that fails. At the yield it holds nothing, so each turn
// of the livelock takes two preemptions: one task must be stopped while it holds its fork, until
// the other has failed. After three preemptions the program is where it was after the first.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 1, with the yield at the end of the loop
// verdict: bug livelock
// preemptions: 3, 76 executions
// delays rr: 3, 76 executions
// delays dfs: 3, 76 executions
// dfs: 436 executions
// default: bounded
// twin: pass/fig1_spin_forks.rs

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
        thread::spawn(move || eat(&forks[1], &forks[0]))
    };
    eat(&forks[0], &forks[1]);
    other.join().unwrap();
}
