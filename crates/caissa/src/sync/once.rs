//! [`Once`].

use std::cell::Cell;
use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};

use caissa_core::OpKind;

use crate::rt::once::{Done, Slot, Turn};
use crate::rt::{self, Rt, Source};

/// Something that is done once; see [`std::sync::Once`].
///
/// Inside a check that means once in each execution, also for a static, unless it was done outside before.
pub struct Once {
    slot: Slot<()>,
    outside: std::sync::Once,
}

// SAFETY: inside a check the slot is used by the execution that it belongs to, which `Slot` sees to, on one OS thread.
unsafe impl Sync for Once {}
impl UnwindSafe for Once {}
impl RefUnwindSafe for Once {}

/// What [`Once::call_once_force`] tells its closure; see [`std::sync::OnceState`].
pub struct OnceState {
    poisoned: bool,
    /// As in std, not for sharing.
    not_sync: std::marker::PhantomData<Cell<()>>,
}

/// A new `Once`.
#[deprecated(note = "the `Once::new()` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const, reason = "it is std's")]
pub const ONCE_INIT: Once = Once::new();

const POISONED: &str = "Once instance has previously been poisoned";

impl Once {
    /// Nothing has been done.
    #[allow(clippy::new_without_default, reason = "std's has none either")]
    pub const fn new() -> Once {
        Once { slot: Slot::new(), outside: std::sync::Once::new() }
    }

    /// Calls `f` unless that has been done; waits while another task does it.
    ///
    /// # Panics
    /// If a task that did it has panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        let source = Location::caller();
        match rt::current() {
            Some(rt) => self.call(rt, false, |_| f(), source),
            None => self.outside.call_once(f),
        }
    }

    /// As [`Once::call_once`], also if a task that did it has panicked.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        let source = Location::caller();
        let state = |poisoned| OnceState { poisoned, not_sync: std::marker::PhantomData };
        match rt::current() {
            Some(rt) => self.call(rt, true, |poisoned| f(&state(poisoned)), source),
            None => self.outside.call_once_force(|outside| f(&state(outside.is_poisoned()))),
        }
    }

    #[track_caller]
    fn call(&self, rt: Rt, force: bool, f: impl FnOnce(bool), source: Source) {
        let object = self.object(rt, source);
        match rt.once_begin(object, OpKind::CallOnce, force, source) {
            Turn::Done => {}
            Turn::Poisoned => panic!("{POISONED}"),
            Turn::Mine { poisoned } => {
                let mut doing = Doing { rt, object, ends: Done::Poisoned, source };
                f(poisoned);
                doing.ends = Done::Complete;
            }
        }
    }

    /// Whether it has been done.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        let source = Location::caller();
        match rt::current() {
            Some(rt) => rt.once_look(self.object(rt, source), OpKind::IsCompleted, source),
            None => self.outside.is_completed(),
        }
    }

    /// Waits until it has been done.
    ///
    /// # Panics
    /// If a task that did it has panicked.
    #[track_caller]
    pub fn wait(&self) {
        let source = Location::caller();
        match rt::current() {
            Some(rt) => {
                if !rt.once_look(self.object(rt, source), OpKind::AwaitOnce, source) {
                    panic!("{POISONED}");
                }
            }
            None => self.outside.wait(),
        }
    }

    /// Waits until it has been done, also if a task that did it has panicked.
    #[track_caller]
    pub fn wait_force(&self) {
        let source = Location::caller();
        match rt::current() {
            Some(rt) => {
                rt.once_look(self.object(rt, source), OpKind::AwaitOnceForce, source);
            }
            None => self.outside.wait_force(),
        }
    }

    fn object(&self, rt: Rt, source: Source) -> usize {
        let place = self.slot.find(rt, source);
        if place.first_use && self.outside.is_completed() {
            rt.engine().objects[place.object].count = 1;
        }
        place.object
    }
}

/// A task does what is done once; when this is dropped it has, one way or another.
pub(super) struct Doing {
    pub(super) rt: Rt,
    pub(super) object: usize,
    /// What comes of it; what a panic makes of it until the end is reached.
    pub(super) ends: Done,
    pub(super) source: Source,
}

impl Drop for Doing {
    fn drop(&mut self) {
        self.rt.once_done(self.object, || self.ends, self.source);
    }
}

impl OnceState {
    /// Whether a task that did it before has panicked.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.is_poisoned()).finish()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}
