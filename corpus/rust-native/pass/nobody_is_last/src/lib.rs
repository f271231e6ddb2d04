//! The last of two workers is to report, and finds that out with Arc::into_inner.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Job {
    parts: Mutex<Vec<u32>>,
}

/// Adds a part; the last worker reports their sum.
pub fn work(job: Arc<Job>, part: u32, report: &AtomicU32) {
    job.parts.lock().unwrap().push(part);
    if let Some(job) = Arc::into_inner(job) {
        report.store(job.parts.into_inner().unwrap().iter().sum(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_last_one_reports() {
        let (mine, report) = (Arc::new(Job::default()), AtomicU32::new(0));
        let others = mine.clone();
        thread::scope(|s| {
            let report = &report;
            s.spawn(move || work(others, 1, report));
            work(mine, 2, report);
        });
        assert_eq!(report.load(Ordering::Relaxed), 3);
    }
}
