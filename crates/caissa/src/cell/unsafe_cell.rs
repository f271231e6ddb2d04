//! [`UnsafeCell`].

use std::fmt;
use std::panic::Location;

use super::CellHome;
use crate::rt::Source;
use crate::rt::data::{Use, Using};

/// Plain memory that tasks may share; see [`std::cell::UnsafeCell`].
///
/// [`UnsafeCell::with`] and [`UnsafeCell::with_mut`] say from when to when a task reads or writes. [`UnsafeCell::get`] counts as a
/// write at that moment; what is done through the pointer later is not seen.
pub struct UnsafeCell<T: ?Sized> {
    home: CellHome,
    value: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell { home: CellHome::new(), value: std::cell::UnsafeCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// A pointer to the value of a cell to which there may be no reference yet. It is not seen as an access.
    pub const fn raw_get(this: *const UnsafeCell<T>) -> *mut T {
        // The pointer need not point anywhere, so this only counts.
        this.wrapping_byte_add(std::mem::offset_of!(UnsafeCell<T>, value)).cast::<T>().cast_mut()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer for reading. The pointer must not be used afterwards.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let _using = self.begin(Use::Read, Location::caller());
        f(self.value.get())
    }

    /// Calls `f` with a pointer for reading and writing. The pointer must not be used afterwards.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let _using = self.begin(Use::Write, Location::caller());
        f(self.value.get())
    }

    /// A pointer to the value. It counts as a write now.
    #[track_caller]
    pub fn get(&self) -> *mut T {
        drop(self.begin(Use::Point, Location::caller()));
        self.value.get()
    }

    /// The value, which nobody else can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.home = CellHome::new();
        self.value.get_mut()
    }

    /// The one place where an access begins.
    #[inline]
    fn begin(&self, kind: Use, source: Source) -> Option<Using> {
        let (rt, object) = super::object(&self.home, kind, source)?;
        Some(rt.begin_access(object, kind, source))
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
