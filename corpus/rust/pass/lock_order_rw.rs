// Lock order across an RwLock and a Mutex, fixed. One task reads the settings and, holding them,
// writes to the log; the other changes the settings and, holding them, writes to the log. Both take
// the settings first, so whoever holds the log waits for nobody.
// origin: folklore
// verdict: verified, 118 executions
// preemptions: 3, 70 executions
// delays rr: 3, 62 executions
// delays dfs: 3, 74 executions
// twin: fail/lock_order_rw.rs

pub fn lock_order_rw() {
    let settings = Arc::new(RwLock::new(0));
    let log = Arc::new(Mutex::new(0));
    let reader = {
        let (settings, log) = (settings.clone(), log.clone());
        thread::spawn(move || {
            let current = settings.read().unwrap();
            *log.lock().unwrap() += *current;
        })
    };
    let writer = thread::spawn(move || {
        let mut current = settings.write().unwrap();
        let mut lines = log.lock().unwrap();
        *current += 1;
        *lines += 1;
    });
    reader.join().unwrap();
    writer.join().unwrap();
}
