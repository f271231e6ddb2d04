//! A value made once, behind a flag that is looked at before the lock is taken, but with Relaxed: who finds
//! it set may not yet read the value.

use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

pub struct Cached {
    made: AtomicBool,
    making: Mutex<()>,
    value: UnsafeCell<u64>,
}

// SAFETY: the value is written once, under the lock and before `made` is set, and read only after that.
unsafe impl Sync for Cached {}

impl Cached {
    pub const fn new() -> Self {
        Cached { made: AtomicBool::new(false), making: Mutex::new(()), value: UnsafeCell::new(0) }
    }

    pub fn get(&self, make: impl FnOnce() -> u64) -> u64 {
        if !self.made.load(Ordering::Relaxed) {
            let _making = self.making.lock().unwrap();
            if !self.made.load(Ordering::Relaxed) {
                // SAFETY: nobody else has the lock, and nobody reads before `made` is set.
                unsafe { *self.value.get() = make() };
                self.made.store(true, Ordering::Release);
            }
        }
        // SAFETY: it is made.
        unsafe { *self.value.get() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_see_the_value() {
        let cached = Cached::new();
        thread::scope(|s| {
            s.spawn(|| assert_eq!(cached.get(|| 42), 42));
            assert_eq!(cached.get(|| 42), 42);
        });
    }
}
