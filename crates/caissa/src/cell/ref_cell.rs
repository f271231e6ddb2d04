//! [`RefCell`].
//!
//! Every borrow writes the count of borrows, so two borrows that nothing orders are a race, also if both only look. What is done
//! through a guard belongs to the moment of its borrow: the guards are std's.

use std::cell::{BorrowError, BorrowMutError, Ref, RefMut};
use std::cmp::Ordering;
use std::fmt;
use std::panic::Location;

use super::CellHome;
use crate::rt;
use crate::rt::data::Use;

/// A place that is borrowed at run time; see [`std::cell::RefCell`].
pub struct RefCell<T: ?Sized> {
    home: CellHome,
    value: std::cell::RefCell<T>,
}

impl<T> RefCell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> RefCell<T> {
        RefCell { home: CellHome::new(), value: std::cell::RefCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Sets the value and returns the one before.
    ///
    /// # Panics
    /// If it is borrowed.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        self.touch();
        self.value.replace(value)
    }

    /// Sets the value to what `f` makes of it and returns the one before.
    ///
    /// # Panics
    /// If it is borrowed.
    #[track_caller]
    pub fn replace_with<F>(&self, f: F) -> T
    where
        F: FnOnce(&mut T) -> T,
    {
        self.touch();
        self.value.replace_with(f)
    }

    /// Exchanges the values of two cells.
    ///
    /// # Panics
    /// If one of them is borrowed.
    #[track_caller]
    pub fn swap(&self, other: &RefCell<T>) {
        self.touch();
        other.touch();
        self.value.swap(&other.value);
    }

    /// Takes the value and leaves the default.
    ///
    /// # Panics
    /// If it is borrowed.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.touch();
        self.value.take()
    }
}

impl<T: ?Sized> RefCell<T> {
    #[inline]
    #[track_caller]
    fn touch(&self) {
        super::access(&self.home, Use::Write, Location::caller());
    }

    /// A shared borrow, which a state hook may make too: nothing else is there that could see the count of borrows meanwhile.
    #[inline]
    #[track_caller]
    fn touch_shared(&self) {
        let kind = if rt::inside().is_some() { Use::Write } else { Use::Read };
        super::access(&self.home, kind, Location::caller());
    }

    /// Borrows the value.
    ///
    /// # Panics
    /// If it is borrowed mutably.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        self.touch_shared();
        self.value.borrow()
    }

    /// Borrows the value, if it is not borrowed mutably.
    ///
    /// # Errors
    /// If it is.
    #[track_caller]
    pub fn try_borrow(&self) -> Result<Ref<'_, T>, BorrowError> {
        self.touch_shared();
        self.value.try_borrow()
    }

    /// Borrows the value mutably.
    ///
    /// # Panics
    /// If it is borrowed.
    #[track_caller]
    pub fn borrow_mut(&self) -> RefMut<'_, T> {
        self.touch();
        self.value.borrow_mut()
    }

    /// Borrows the value mutably, if it is not borrowed.
    ///
    /// # Errors
    /// If it is.
    #[track_caller]
    pub fn try_borrow_mut(&self) -> Result<RefMut<'_, T>, BorrowMutError> {
        self.touch();
        self.value.try_borrow_mut()
    }

    /// A pointer to the value. It counts as a write now.
    #[track_caller]
    pub fn as_ptr(&self) -> *mut T {
        self.touch();
        self.value.as_ptr()
    }

    /// The value, which nobody else can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.home = CellHome::new();
        self.value.get_mut()
    }

    /// A reference to the value, if it is not borrowed mutably. It counts as a read now.
    ///
    /// # Safety
    /// As long as the reference lives the value must not be borrowed mutably.
    ///
    /// # Errors
    /// If it is borrowed mutably.
    #[track_caller]
    pub unsafe fn try_borrow_unguarded(&self) -> Result<&T, BorrowError> {
        super::access(&self.home, Use::Read, Location::caller());
        // SAFETY: as the caller says.
        unsafe { self.value.try_borrow_unguarded() }
    }
}

impl<T: Clone> Clone for RefCell<T> {
    #[track_caller]
    fn clone(&self) -> RefCell<T> {
        RefCell::new(self.borrow().clone())
    }
}

impl<T: Default> Default for RefCell<T> {
    fn default() -> RefCell<T> {
        RefCell::new(T::default())
    }
}

impl<T: ?Sized + PartialEq> PartialEq for RefCell<T> {
    #[track_caller]
    fn eq(&self, other: &RefCell<T>) -> bool {
        *self.borrow() == *other.borrow()
    }
}

impl<T: ?Sized + Eq> Eq for RefCell<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for RefCell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &RefCell<T>) -> Option<Ordering> {
        self.borrow().partial_cmp(&*other.borrow())
    }
}

impl<T: ?Sized + Ord> Ord for RefCell<T> {
    #[track_caller]
    fn cmp(&self, other: &RefCell<T>) -> Ordering {
        self.borrow().cmp(&*other.borrow())
    }
}

impl<T> From<T> for RefCell<T> {
    fn from(value: T) -> RefCell<T> {
        RefCell::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RefCell<T> {
    /// Shows the value, which is no access.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value, f)
    }
}
