//! A box is taken by a load of its pointer and a store of null: both may load it, and both free it.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

pub struct Slot {
    parcel: AtomicPtr<u64>,
}

impl Slot {
    pub fn new(parcel: Box<u64>) -> Self {
        Slot { parcel: AtomicPtr::new(Box::into_raw(parcel)) }
    }

    pub fn take(&self) -> Option<Box<u64>> {
        let parcel = self.parcel.load(Ordering::Acquire);
        if parcel.is_null() {
            return None;
        }
        self.parcel.store(ptr::null_mut(), Ordering::Release);
        // SAFETY: it comes from a box, and is no longer in the slot.
        Some(unsafe { Box::from_raw(parcel) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_of_two_takes_it() {
        let slot = Slot::new(Box::new(5));
        thread::scope(|s| {
            s.spawn(|| drop(slot.take()));
            drop(slot.take());
        });
        assert!(slot.take().is_none());
    }
}
