//! A barrier for workers that come to it at nearly the same time: who is first looks out for the others a while before it sleeps.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks before sleep; some microseconds.
const LOOKS: u32 = 2_000;

pub(super) struct Barrier {
    workers: usize,
    /// How many have come, in all.
    come: AtomicUsize,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Barrier {
    pub(super) fn new(workers: usize) -> Barrier {
        Barrier { workers, come: AtomicUsize::new(0), sleepers: Mutex::new(()), wake: Condvar::new() }
    }

    /// Waits until all have come.
    pub(super) fn wait(&self) {
        let before = self.come.fetch_add(1, Ordering::AcqRel);
        let all = (before / self.workers + 1) * self.workers;
        let have_come = || self.come.load(Ordering::Acquire) >= all;
        if before + 1 == all {
            // Whoever has looked in vain sleeps already, or holds this until it does.
            drop(self.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
            return self.wake.notify_all();
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

#[cfg(test)]
mod tests {
    use super::*;

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
