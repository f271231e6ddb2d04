// A reader-writer spin lock. A reader counts itself in; if it meets a writer it counts itself out
// again and waits. A writer waits until the count is zero.
// origin: folklore
// verdict: verified, 599 executions
// preemptions: 2, 21 executions
// delays rr: 2, 21 executions
// delays dfs: 3, 34 executions
// unfair: incomplete
// twin: fail/rw_spin_lock.rs

const WRITER: usize = 100;

/// How many read or try to, and `WRITER` besides while somebody writes.
struct RwSpinLock(AtomicUsize);

impl RwSpinLock {
    fn read(&self) {
        while self.0.fetch_add(1, SC) >= WRITER {
            self.0.fetch_sub(1, SC);
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
