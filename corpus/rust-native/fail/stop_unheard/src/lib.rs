//! A worker is told to stop by a flag that is set without the lock: between its look at the flag and its wait
//! the notification finds nobody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Worker {
    jobs: Mutex<Vec<u32>>,
    stop: AtomicBool,
    changed: Condvar,
}

impl Worker {
    pub fn run(&self) -> u32 {
        let mut done = 0;
        let mut jobs = self.jobs.lock().unwrap();
        loop {
            while let Some(job) = jobs.pop() {
                done += job;
            }
            if self.stop.load(Ordering::SeqCst) {
                return done;
            }
            jobs = self.changed.wait(jobs).unwrap();
        }
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_worker_without_jobs_stops() {
        let worker = Worker::default();
        thread::scope(|s| {
            s.spawn(|| worker.stop());
            assert_eq!(worker.run(), 0);
        });
    }
}
