//! What is in the log is counted, written while the lock is given back for that long, and then so much
//! removed, which another may have done by then (parking_lot).

use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
pub struct Log {
    lines: Mutex<Vec<&'static str>>,
    written: AtomicUsize,
}

impl Log {
    pub fn add(&self, line: &'static str) {
        self.lines.lock().push(line);
    }

    fn write(&self, lines: &[&'static str]) {
        self.written.fetch_add(lines.len(), Ordering::Relaxed);
    }

    /// Others may add lines while these are written.
    pub fn flush(&self) {
        let mut lines = self.lines.lock();
        let batch = lines.clone();
        MutexGuard::unlocked(&mut lines, || self.write(&batch));
        lines.drain(..batch.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_flush() {
        let log = Log::default();
        log.add("started");
        thread::scope(|s| {
            s.spawn(|| log.flush());
            log.flush();
        });
        assert_eq!(log.written.load(Ordering::Relaxed), 1);
    }
}
