// A park in a loop. The reader asks, with Acquire, and parks again if it was woken for no
// reason.
// origin: folklore
// faults: 1
// verdict: verified
// twin: fail/park_for_no_reason.rs

pub fn park_for_no_reason() {
    let shared = Arc::new((Pair::new(), AtomicBool::new(false)));
    let reader = {
        let shared = shared.clone();
        thread::spawn(move || {
            while !shared.1.load(Acquire) {
                thread::park();
            }
            shared.0.read();
        })
    };
    shared.0.write(1);
    shared.1.store(true, Release);
    reader.thread().unpark();
    reader.join().unwrap();
}
