// Park with a count. A task parks until two parcels are there; the main task counts each delivery
// before it unparks. The receiver goes by the count, and the token only says that it may have
// changed: an unpark between its look at the count and its park makes the park return at once.
// origin: folklore
// verdict: verified, 132 executions
// preemptions: 3, 70 executions
// delays rr: 3, 57 executions
// delays dfs: 3, 56 executions
// twin: fail/park_lost_token.rs

const SC: Ordering = Ordering::SeqCst;

pub fn park_lost_token() {
    let delivered = Arc::new(AtomicUsize::new(0));
    let receiver = {
        let delivered = delivered.clone();
        thread::spawn(move || {
            while delivered.load(SC) < 2 {
                thread::park();
            }
        })
    };
    for _parcel in 0..2 {
        delivered.fetch_add(1, SC);
        receiver.thread().unpark();
    }
    receiver.join().unwrap();
}
