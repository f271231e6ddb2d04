//! [`Cell`].

use std::cmp::Ordering;
use std::fmt;
use std::panic::Location;

use super::CellHome;
use crate::rt::data::Use;

/// A place that is read and written as a whole; see [`std::cell::Cell`].
pub struct Cell<T: ?Sized> {
    home: CellHome,
    value: std::cell::Cell<T>,
}

impl<T> Cell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> Cell<T> {
        Cell { home: CellHome::new(), value: std::cell::Cell::new(value) }
    }

    /// Sets the value.
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) {
        super::access(&self.home, Use::Write, Location::caller());
        self.value.set(value);
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        let source = Location::caller();
        super::access(&self.home, Use::Write, source);
        super::access(&other.home, Use::Write, source);
        self.value.swap(&other.value);
    }

    /// Sets the value and returns the one before.
    #[inline]
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        super::access(&self.home, Use::Write, Location::caller());
        self.value.replace(value)
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        super::access(&self.home, Use::Write, Location::caller());
        self.value.take()
    }
}

impl<T: Copy> Cell<T> {
    /// A copy of the value.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> T {
        super::access(&self.home, Use::Read, Location::caller());
        self.value.get()
    }

    /// Sets the value to what `f` makes of it.
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T) {
        let source = Location::caller();
        super::access(&self.home, Use::Read, source);
        let value = f(self.value.get());
        super::access(&self.home, Use::Write, source);
        self.value.set(value);
    }
}

impl<T: ?Sized> Cell<T> {
    /// A pointer to the value. It counts as a write now.
    #[track_caller]
    pub fn as_ptr(&self) -> *mut T {
        super::access(&self.home, Use::Write, Location::caller());
        self.value.as_ptr()
    }

    /// The value, which nobody else can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.home = CellHome::new();
        self.value.get_mut()
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Cell<T> {
        Cell::new(self.get())
    }
}

impl<T: Default> Default for Cell<T> {
    fn default() -> Cell<T> {
        Cell::new(T::default())
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Cell<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}

impl<T: Copy + PartialOrd> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Cell<T>) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Copy + Ord> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Cell<T>) -> Ordering {
        self.get().cmp(&other.get())
    }
}

impl<T> From<T> for Cell<T> {
    fn from(value: T) -> Cell<T> {
        Cell::new(value)
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("value", &self.get()).finish()
    }
}
