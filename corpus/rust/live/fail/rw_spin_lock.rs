// A reader-writer spin lock that counts a reader twice. A reader that meets a writer waits without
// counting itself out, and then counts itself in again; the next writer waits for ever for a reader
// who has gone.
// origin: folklore
// verdict: bug livelock
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 2, 5 executions
// dfs: 23 executions
// twin: pass/rw_spin_lock.rs

const WRITER: usize = 100;

/// How many read or try to, and `WRITER` besides while somebody writes.
struct RwSpinLock(AtomicUsize);

impl RwSpinLock {
    fn read(&self) {
        while self.0.fetch_add(1, SC) >= WRITER {
            hint::spin_loop();
        }
    }

    fn end_read(&self) {
        self.0.fetch_sub(1, SC);
    }

    fn write(&self) {
        while self.0.compare_exchange(0, WRITER, SC, SC).is_err() {
            hint::spin_loop();
        }
    }

    fn end_write(&self) {
        self.0.fetch_sub(WRITER, SC);
    }
}

pub fn rw_spin_lock() {
    let lock = Arc::new(RwSpinLock(AtomicUsize::new(0)));
    let reader = {
        let lock = lock.clone();
        thread::spawn(move || {
            lock.read();
            lock.end_read();
        })
    };
    for _ in 0..2 {
        lock.write();
        lock.end_write();
    }
    reader.join().unwrap();
}
