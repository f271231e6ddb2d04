// Upgrade of a read lock. Two clerks sell the last seat: each looks under a read lock whether a
// seat is free, drops it and takes the write lock to book. What was read may be out of date by
// then: if both look before either books, the seat is sold twice.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/readers_writer_upgrade.rs

/// Books one seat if one is free.
fn book(free_seats: &RwLock<usize>) {
    if *free_seats.read().unwrap() == 0 {
        return;
    }
    // The lock is free here.
    let mut free_seats = free_seats.write().unwrap();
    assert!(*free_seats > 0, "a seat was sold that is no longer free");
    *free_seats -= 1;
}

pub fn readers_writer_upgrade() {
    let free_seats = Arc::new(RwLock::new(1));
    let clerks: Vec<_> = (0..2)
        .map(|_| {
            let free_seats = free_seats.clone();
            thread::spawn(move || book(&free_seats))
        })
        .collect();
    for clerk in clerks {
        clerk.join().unwrap();
    }
    assert_eq!(*free_seats.read().unwrap(), 0, "the seat was never sold");
}
