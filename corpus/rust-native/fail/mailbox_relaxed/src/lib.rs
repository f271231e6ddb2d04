//! A letter is put into the box and the flag raised with Relaxed, which does not say that the letter comes
//! first; no order of steps shows it.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct Mailbox {
    full: AtomicBool,
    letter: UnsafeCell<u64>,
}

// SAFETY: the letter is written once, before the flag is raised, and read only after that.
unsafe impl Sync for Mailbox {}

impl Mailbox {
    /// # Safety
    /// Called at most once.
    pub unsafe fn put(&self, letter: u64) {
        // SAFETY: nobody reads before the flag is raised.
        unsafe { *self.letter.get() = letter };
        self.full.store(true, Ordering::Relaxed);
    }

    pub fn look(&self) -> Option<u64> {
        // SAFETY: the flag is raised, and the letter not written again.
        self.full.load(Ordering::Acquire).then(|| unsafe { *self.letter.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_letter_or_none() {
        let mailbox = Mailbox::default();
        thread::scope(|s| {
            s.spawn(|| assert!(matches!(mailbox.look(), None | Some(5))));
            // SAFETY: the only call.
            unsafe { mailbox.put(5) };
        });
    }
}
