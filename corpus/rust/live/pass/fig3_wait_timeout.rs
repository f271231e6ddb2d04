// A task waits in a loop for another one to set a variable, and on each turn waits on a condvar for
// a while. Nobody notifies it.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3, with a wait that has a timeout
// verdict: verified, 52 executions
// preemptions: 2, 37 executions
// delays rr: 2, 29 executions
// delays dfs: 2, 19 executions
// unfair: bounded
// twin: fail/fig3_no_yield.rs

pub fn fig3_wait_timeout() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    let (lock, condvar) = (Mutex::new(()), Condvar::new());
    let mut guard = lock.lock().unwrap();
    while x.load(SC) != 1 {
        guard = condvar.wait_timeout(guard, Duration::from_millis(1)).unwrap().0;
    }
    drop(guard);
    setter.join().unwrap();
}
