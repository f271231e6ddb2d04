// The token of another task. Main unparks the waiter too, for a reason of its own; the waiter
// takes that token for the writer's.
// origin: folklore
// faults: 0
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/park_other_token.rs

pub fn park_other_token() {
    let pair = Arc::new(Pair::new());
    let reader = {
        let pair = pair.clone();
        thread::spawn(move || {
            thread::park();
            pair.read(); // race
        })
    };
    let writer = {
        let (pair, reader) = (pair.clone(), reader.thread().clone());
        thread::spawn(move || {
            pair.write(1); // race
            reader.unpark();
        })
    };
    reader.thread().unpark();
    reader.join().unwrap();
    writer.join().unwrap();
}
