//! A slot is claimed by a swap of its flag.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct Slot {
    busy: AtomicBool,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is reached only by the one who has claimed the slot.
unsafe impl Sync for Slot {}

impl Slot {
    fn claim(&self) -> bool {
        !self.busy.swap(true, Ordering::Acquire)
    }

    pub fn try_add(&self, amount: u32) -> bool {
        if !self.claim() {
            return false;
        }
        // SAFETY: the slot is claimed.
        unsafe { *self.value.get() += amount };
        self.busy.store(false, Ordering::Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn each_writes_if_it_may() {
        let slot = Slot::default();
        thread::scope(|s| {
            s.spawn(|| slot.try_add(1));
            slot.try_add(2);
        });
        assert!(slot.value.into_inner() > 0);
    }
}
