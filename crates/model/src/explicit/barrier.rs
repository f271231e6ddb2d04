//! A barrier for workers that come to it at nearly the same time: who is first looks out for the others a while before it sleeps.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks before sleep; some microseconds.
const LOOKS: u32 = 2_000;

pub(super) struct Barrier {
    workers: usize,
    /// How many have come, in all.
    come: AtomicUsize,
    /// One will never come.
    is_broken: AtomicBool,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Barrier {
    pub(super) fn new(workers: usize) -> Barrier {
        Barrier {
            workers,
            come: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
            sleepers: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Lives as long as a worker does: if it panics, the others do so too instead of waiting for it.
    pub(super) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    fn wake(&self) {
        // Whoever has looked in vain sleeps already, or holds this until it does.
        drop(self.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_all();
    }

    /// Waits until all have come.
    pub(super) fn wait(&self) {
        let before = self.come.fetch_add(1, Ordering::AcqRel);
        let all = (before / self.workers + 1) * self.workers;
        let have_come = || {
            assert!(!self.is_broken.load(Ordering::Acquire), "another worker has panicked");
            self.come.load(Ordering::Acquire) >= all
        };
        if before + 1 == all {
            return self.wake();
        }
        for _ in 0..LOOKS {
            if have_come() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        while !have_come() {
            sleepers = self.wake.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

pub(super) struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Release);
            self.0.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_panics_is_not_waited_for() {
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let _guard = barrier.guard();
                std::thread::sleep(std::time::Duration::from_millis(20));
                panic!("as it should");
            });
            let waiting = scope.spawn(|| barrier.wait());
            assert!(other.join().is_err() && waiting.join().is_err());
        });
    }

    #[test]
    fn nobody_goes_on_before_all_have_come() {
        let (barrier, at) = (Barrier::new(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let (barrier, at) = (&barrier, &at);
                scope.spawn(move || {
                    for round in 0..1_000 {
                        if worker == 0 && round % 100 == 0 {
                            std::thread::sleep(std::time::Duration::from_millis(1));
                        }
                        at.fetch_add(1, Ordering::Relaxed);
                        barrier.wait();
                        assert_eq!(at.load(Ordering::Relaxed), 3 * (round + 1));
                        barrier.wait();
                    }
                });
            }
        });
    }
}
