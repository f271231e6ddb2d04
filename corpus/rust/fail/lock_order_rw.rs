// Lock order across an RwLock and a Mutex. One task reads the settings and, holding them, writes to
// the log; the other holds the log while it changes the settings. With one lock taken each, the
// reader waits for the log and the writer for the reader.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/lock_order_rw.rs

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
        let mut lines = log.lock().unwrap();
        *settings.write().unwrap() += 1;
        *lines += 1;
    });
    reader.join().unwrap();
    writer.join().unwrap();
}
