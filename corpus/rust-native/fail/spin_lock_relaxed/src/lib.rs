//! A spin lock that is taken with Acquire and given back with Relaxed, so that the next holder is not ordered
//! after the last.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub struct SpinLock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only by the one who has taken the lock.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    pub const fn new(value: T) -> Self {
        SpinLock { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        while self.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            thread::yield_now();
        }
        // SAFETY: the lock is taken.
        let result = work(unsafe { &mut *self.value.get() });
        self.taken.store(false, Ordering::Relaxed);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_add() {
        let sum = SpinLock::new(0);
        thread::scope(|s| {
            s.spawn(|| sum.with(|sum| *sum += 1));
            sum.with(|sum| *sum += 1);
        });
        assert_eq!(sum.with(|sum| *sum), 2);
    }
}
