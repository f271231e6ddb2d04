// A OnceLock made by get_or_init, and what belongs to it made after.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/once_lock_initialised_beside.rs

pub fn once_lock_initialised_beside() {
    let (cell, pair) = (OnceLock::new(), Pair::new());
    let user = |me: usize| {
        if *cell.get_or_init(|| me) == me {
            pair.write(1); // race
        }
        pair.read(); // race
    };
    thread::scope(|s| {
        s.spawn(|| user(0));
        s.spawn(|| user(1));
    });
}
