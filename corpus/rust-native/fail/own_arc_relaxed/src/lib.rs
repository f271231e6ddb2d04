//! A reference count that is lowered with Relaxed: who frees the value is not ordered after the other owner's
//! last look at it.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Inner<T> {
    owners: AtomicUsize,
    value: T,
}

pub struct Shared<T>(NonNull<Inner<T>>);

// SAFETY: owners only look at the value, and the last one drops it.
unsafe impl<T: Send + Sync> Send for Shared<T> {}

impl<T> Shared<T> {
    pub fn new(value: T) -> Self {
        Shared(NonNull::from(Box::leak(Box::new(Inner { owners: AtomicUsize::new(1), value }))))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: it is there for as long as it has owners.
        unsafe { &self.0.as_ref().value }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        // SAFETY: as above.
        unsafe { self.0.as_ref() }.owners.fetch_add(1, Ordering::Relaxed);
        Shared(self.0)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // SAFETY: as above; the last owner frees it.
        unsafe {
            if self.0.as_ref().owners.fetch_sub(1, Ordering::Relaxed) == 1 {
                drop(Box::from_raw(self.0.as_ptr()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_owners() {
        let mine = Shared::new([1, 2]);
        let others = mine.clone();
        let other = thread::spawn(move || assert_eq!(others[1], 2));
        assert_eq!(mine[0], 1);
        drop(mine);
        other.join().unwrap();
    }
}
