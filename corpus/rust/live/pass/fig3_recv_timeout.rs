// A task waits in a loop for another one to set a variable, and on each turn waits a while for a
// message that never comes.
// origin: Musuvathi and Qadeer, PLDI 2008, Figure 3, with a receive that has a timeout
// verdict: verified, 17 executions
// preemptions: 2, 16 executions
// delays rr: 2, 14 executions
// delays dfs: 2, 9 executions
// unfair: bounded
// twin: fail/fig3_no_yield.rs

pub fn fig3_recv_timeout() {
    let x = Arc::new(AtomicUsize::new(0));
    let setter = {
        let x = x.clone();
        thread::spawn(move || x.store(1, SC))
    };
    let (_sender, receiver) = mpsc::channel::<()>();
    while x.load(SC) != 1 {
        assert!(receiver.recv_timeout(Duration::from_millis(1)).is_err());
    }
    setter.join().unwrap();
}
