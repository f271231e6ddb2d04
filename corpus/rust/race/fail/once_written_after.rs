// Written after call_once. Who was the first to call it writes when its closure has returned,
// and the others do not wait for that.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/once_written_after.rs

pub fn once_written_after() {
    let (once, pair) = (Once::new(), Pair::new());
    let task = || {
        let mut first = false;
        once.call_once(|| first = true);
        if first {
            pair.write(1); // race
        }
        pair.read(); // race
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
}
