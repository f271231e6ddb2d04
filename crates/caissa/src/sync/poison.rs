//! Poisoning, as in std: a lock is poisoned when a guard is dropped by a panic that began while it was held.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, PoisonError};

use crate::rt::{self, Home};

#[derive(Debug)]
pub(super) struct Poison(AtomicBool);

impl Poison {
    pub(super) const fn new() -> Poison {
        Poison(AtomicBool::new(false))
    }

    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// A guard is dropped that was made while the thread was or was not panicking.
    #[inline]
    pub(super) fn done(&self, was_panicking: bool, home: &Home) {
        if !was_panicking && std::thread::panicking() && !unwinding_an_aborted_execution() {
            self.0.store(true, Ordering::Relaxed);
            if rt::current().is_some() {
                home.mark_changed();
            }
        }
    }

    /// The result of a lock operation. What is left of an aborted execution sees no poison: its destructors must not
    /// panic for a panic that the program never had.
    #[inline]
    pub(super) fn wrap<G>(&self, guard: G) -> LockResult<G> {
        if self.get() && !unwinding_an_aborted_execution() { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }
}

#[cold]
fn unwinding_an_aborted_execution() -> bool {
    rt::current().is_some_and(|rt| rt.engine().aborting)
}
