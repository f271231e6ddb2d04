// Upgrade of a read lock, fixed. Two clerks sell the last seat: each looks under a read lock
// whether a seat is free, drops it, takes the write lock and looks again before it books. The first
// look only saves the write lock; the second one decides.
// origin: folklore
// verdict: verified, 209 executions
// preemptions: 3, 111 executions
// delays rr: 3, 74 executions
// delays dfs: 3, 76 executions
// twin: fail/readers_writer_upgrade.rs

/// Books one seat if one is free.
fn book(free_seats: &RwLock<usize>) {
    if *free_seats.read().unwrap() == 0 {
        return;
    }
    // The lock is free here.
    let mut free_seats = free_seats.write().unwrap();
    if *free_seats > 0 {
        *free_seats -= 1;
    }
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
