// What the closure of get_or_init does is ordered before every return of it.
// origin: folklore
// verdict: verified
// twin: fail/once_lock_initialised_beside.rs

pub fn once_lock_initialised_beside() {
    let (cell, pair) = (OnceLock::new(), Pair::new());
    let user = |me: usize| {
        cell.get_or_init(|| {
            pair.write(1);
            me
        });
        pair.read();
    };
    thread::scope(|s| {
        s.spawn(|| user(0));
        s.spawn(|| user(1));
    });
}
