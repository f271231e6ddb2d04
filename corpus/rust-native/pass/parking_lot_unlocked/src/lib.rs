//! What is in the log is taken out of it before the lock is given back for as long as it is written
//! (parking_lot).

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
        let batch = std::mem::take(&mut *lines);
        MutexGuard::unlocked(&mut lines, || self.write(&batch));
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
