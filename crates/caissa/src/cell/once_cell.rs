//! [`OnceCell`].

use std::fmt;
use std::panic::Location;

use super::CellHome;
use crate::rt::data::Use;

/// A value that is set once, by one task; see [`std::cell::OnceCell`].
pub struct OnceCell<T> {
    home: CellHome,
    value: std::cell::OnceCell<T>,
}

impl<T> OnceCell<T> {
    /// No value.
    pub const fn new() -> OnceCell<T> {
        OnceCell { home: CellHome::new(), value: std::cell::OnceCell::new() }
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        super::access(&self.home, Use::Read, Location::caller());
        self.value.get()
    }

    /// The value, if there is one; nobody else can have it.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.home = CellHome::new();
        self.value.get_mut()
    }

    /// Sets the value, unless there is one.
    ///
    /// # Errors
    /// The value given, if there is one already.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let kind = if self.value.get().is_some() { Use::Read } else { Use::Write };
        super::access(&self.home, kind, Location::caller());
        self.value.set(value)
    }

    /// The value; makes it if there is none.
    ///
    /// # Panics
    /// If `f` sets the cell too.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        let source = Location::caller();
        super::access(&self.home, Use::Read, source);
        if let Some(value) = self.value.get() {
            return value;
        }
        let value = f();
        super::access(&self.home, Use::Write, source);
        if self.value.set(value).is_err() {
            panic!("reentrant init");
        }
        self.value.get().expect("it was set just now")
    }

    /// The value.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Takes the value; there is none afterwards.
    pub fn take(&mut self) -> Option<T> {
        self.home = CellHome::new();
        self.value.take()
    }
}

impl<T> Default for OnceCell<T> {
    fn default() -> OnceCell<T> {
        OnceCell::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceCell<T> {
    /// Shows the value, which is no access.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value, f)
    }
}

impl<T: Clone> Clone for OnceCell<T> {
    #[track_caller]
    fn clone(&self) -> OnceCell<T> {
        self.get().cloned().map_or_else(OnceCell::new, OnceCell::from)
    }
}

impl<T: PartialEq> PartialEq for OnceCell<T> {
    #[track_caller]
    fn eq(&self, other: &OnceCell<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceCell<T> {}

impl<T> From<T> for OnceCell<T> {
    fn from(value: T) -> OnceCell<T> {
        OnceCell { home: CellHome::new(), value: std::cell::OnceCell::from(value) }
    }
}
