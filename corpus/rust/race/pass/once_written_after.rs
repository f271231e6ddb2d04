// Written inside call_once: ordered before the return of every call.
// origin: folklore
// verdict: verified
// twin: fail/once_written_after.rs

pub fn once_written_after() {
    let (once, pair) = (Once::new(), Pair::new());
    let task = || {
        once.call_once(|| pair.write(1));
        pair.read();
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
}
