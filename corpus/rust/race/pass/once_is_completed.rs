// A Once that is completed: is_completed acquires what the closure of call_once did.
// origin: folklore
// verdict: verified
// twin: fail/once_is_completed.rs

pub fn once_is_completed() {
    let (once, pair) = (Once::new(), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            once.call_once(|| {
                pair.write(1);
            });
        });
        s.spawn(|| {
            if once.is_completed() {
                pair.read();
            }
        });
    });
}
