// A park that ends for no reason. The reader does not ask whether there is something to read.
// origin: folklore
// faults: 1
// verdict: bug race
// preemptions: 1
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/park_for_no_reason.rs

pub fn park_for_no_reason() {
    let shared = Arc::new((Pair::new(), AtomicBool::new(false)));
    let reader = {
        let shared = shared.clone();
        thread::spawn(move || {
            thread::park();
            shared.0.read(); // race
        })
    };
    shared.0.write(1); // race
    shared.1.store(true, Release);
    reader.thread().unpark();
    reader.join().unwrap();
}
