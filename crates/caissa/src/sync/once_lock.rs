//! [`OnceLock`].

use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};

use caissa_core::OpKind;

use super::once::Doing;
use crate::rt::once::{Done, Place, Slot, Turn};
use crate::rt::{self, Rt, Source};

/// A value that is made once; see [`std::sync::OnceLock`].
///
/// Inside a check that means once in each execution, also for a static, unless the value was made outside before. A reference
/// to a value that an execution has made must not be kept beyond the execution, whatever its lifetime says.
pub struct OnceLock<T> {
    slot: Slot<T>,
    outside: std::sync::OnceLock<T>,
}

// SAFETY: as for std's. Inside a check the slot is used by the execution that it belongs to, which `Slot` sees to, on one OS
// thread; a value that is left there may be dropped on another one, hence `Send`.
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// No value.
    pub const fn new() -> OnceLock<T> {
        OnceLock { slot: Slot::new(), outside: std::sync::OnceLock::new() }
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        let source = Location::caller();
        let Some(rt) = rt::current() else { return self.outside.get() };
        let place = self.place(rt, source);
        rt.once_look(place.object, OpKind::GetOnce, source).then(|| self.value(&place))
    }

    /// The value, without a point: nobody else can have the lock.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        match rt::current().and_then(|rt| self.slot.find_present(rt)) {
            // SAFETY: the lock is borrowed mutably, so nobody else has a reference to its value.
            Some(place) => unsafe { (*place.value).as_mut() }.or(self.outside.get_mut()),
            None => self.outside.get_mut(),
        }
    }

    /// Waits for the value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        let source = Location::caller();
        let Some(rt) = rt::current() else { return self.outside.wait() };
        let place = self.place(rt, source);
        rt.once_look(place.object, OpKind::AwaitOnceForce, source);
        self.value(&place)
    }

    /// Sets the value, unless there is one; waits while another task makes it.
    ///
    /// # Errors
    /// The value given, if there is one already.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("taken once"));
        value.map_or(Ok(()), Err)
    }

    /// The value; makes it if there is none, and waits while another task does.
    ///
    /// If `f` panics there is still no value.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        let source = Location::caller();
        let Some(rt) = rt::current() else { return self.outside.get_or_init(f) };
        let place = self.place(rt, source);
        if let Turn::Mine { .. } = rt.once_begin(place.object, OpKind::GetOrInit, true, source) {
            let mut doing = Doing { rt, object: place.object, ends: Done::Not, source };
            let value = f();
            // SAFETY: there is no value and this task alone makes it, so nobody has a reference.
            unsafe { *place.value = Some(value) };
            doing.ends = Done::Complete;
        }
        self.value(&place)
    }

    /// The value.
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }

    /// Takes the value; there is none afterwards.
    pub fn take(&mut self) -> Option<T> {
        let inside = match rt::current() {
            // SAFETY: the lock is borrowed mutably, so nobody else has a reference to its value.
            Some(rt) => self.slot.find_present(rt).and_then(|place| unsafe { (*place.value).take() }),
            None => None,
        };
        self.slot.take();
        inside.or_else(|| self.outside.take())
    }

    fn place(&self, rt: Rt, source: Source) -> Place<T> {
        let place = self.slot.find(rt, source);
        if place.first_use && self.outside.get().is_some() {
            rt.engine().objects[place.object].count = 1;
        }
        place
    }

    /// The value, which is there.
    fn value(&self, place: &Place<T>) -> &T {
        // SAFETY: once there is a value it is not changed as long as the lock is borrowed and the execution lasts.
        let inside = unsafe { (*place.value).as_ref() };
        inside.or_else(|| self.outside.get()).expect("it has been made")
    }

    /// The value, without a point.
    fn peek(&self) -> Option<&T> {
        match rt::current().and_then(|rt| self.slot.find_present(rt)) {
            // SAFETY: as in `value`; while a task makes it there is none.
            Some(place) => unsafe { (*place.value).as_ref() }.or_else(|| self.outside.get()),
            None => self.outside.get(),
        }
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    /// Shows the value without a scheduling point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("OnceLock");
        match self.peek() {
            Some(value) => shown.field(value),
            None => shown.field(&format_args!("<uninit>")),
        };
        shown.finish()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> OnceLock<T> {
        self.get().cloned().map_or_else(OnceLock::new, OnceLock::from)
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> OnceLock<T> {
        OnceLock { slot: Slot::new(), outside: std::sync::OnceLock::from(value) }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
