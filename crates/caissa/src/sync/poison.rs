//! Poisoning, as in std: a lock is poisoned when a guard is dropped by a panic that began while it was held.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, PoisonError};

use crate::rt::{self, Home, Rt};

/// Whether a lock is poisoned. Inside a check that is the object's to know, so that it ends with the execution.
#[derive(Debug)]
pub(super) struct Poison {
    outside: AtomicBool,
}

impl Poison {
    pub(super) const fn new() -> Poison {
        Poison { outside: AtomicBool::new(false) }
    }

    #[inline]
    pub(super) fn get(&self, home: &Home) -> bool {
        let inside = object(home).and_then(|(rt, object)| rt.engine().objects[object].poisoned);
        inside.unwrap_or_else(|| self.outside.load(Ordering::Relaxed))
    }

    pub(super) fn set(&self, home: &Home, poisoned: bool) {
        match object(home) {
            Some((rt, object)) => rt.engine().objects[object].poisoned = Some(poisoned),
            None => self.outside.store(poisoned, Ordering::Relaxed),
        }
    }

    /// A guard is dropped that was made while the thread was or was not panicking.
    #[inline]
    pub(super) fn done(&self, was_panicking: bool, home: &Home) {
        if !was_panicking && std::thread::panicking() && !unwinding_an_aborted_execution() {
            self.set(home, true);
        }
    }

    /// The result of a lock operation. What is left of an aborted execution sees no poison: its destructors must not
    /// panic for a panic that the program never had.
    #[inline]
    pub(super) fn wrap<G>(&self, home: &Home, guard: G) -> LockResult<G> {
        if self.get(home) && !unwinding_an_aborted_execution() {
            Err(PoisonError::new(guard))
        } else {
            Ok(guard)
        }
    }
}

#[inline]
fn object(home: &Home) -> Option<(Rt, usize)> {
    match rt::inside() {
        Some(rt) => Some((rt, home.find_present(rt)?)),
        None => rt::peek()?.held(home),
    }
}

/// A state hook that panics poisons nothing either.
#[cold]
fn unwinding_an_aborted_execution() -> bool {
    match rt::inside() {
        Some(rt) => rt.engine().aborting,
        None => rt::peek().is_some() && std::thread::panicking(),
    }
}
