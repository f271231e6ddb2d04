//! [`OnceCell`].

use std::cell::UnsafeCell;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::panic::Location;

use caissa_core::{ObjectKind, OpKind};

use super::opaque_debug;
use crate::future::permits::{Acquire, HasPermits, Permits};
use crate::future::shared::{Shared, State};
use crate::rt::Source;

/// A cell that is set once, by a future; see tokio's `OnceCell`.
pub struct OnceCell<T> {
    shared: Shared<Setting>,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is written once, by who has the one permit, before the cell counts as set, and shared after that; both are
// kept under a lock wherever the cell is used.
unsafe impl<T: Send> Send for OnceCell<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for OnceCell<T> {}

/// Whoever has the permit sets the cell; it is closed once that is done.
struct Setting {
    permits: Permits,
    set: bool,
    made_set: bool,
}

impl State for Setting {
    fn is_as_made(&mut self) -> bool {
        (self.permits.is_as_made() || self.made_set) && self.set == self.made_set
    }
}

impl HasPermits for Setting {
    fn permits(&mut self) -> &mut Permits {
        &mut self.permits
    }
}

/// Why a cell was not set; the value comes back.
#[derive(Debug, PartialEq, Eq)]
pub enum SetError<T> {
    /// It has a value.
    AlreadyInitializedError(T),
    /// Somebody is making its value.
    InitializingError(T),
}

impl<T> fmt::Display for SetError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SetError::AlreadyInitializedError(_) => "the cell has a value",
            SetError::InitializingError(_) => "the value of the cell is being made",
        })
    }
}

impl<T: fmt::Debug> std::error::Error for SetError<T> {}

/// The right to set the cell, given back if that does not happen.
struct Turn<'a, T> {
    cell: &'a OnceCell<T>,
    used: bool,
    source: Source,
}

impl<'a, T> Turn<'a, T> {
    fn set(mut self, value: T) -> &'a T {
        self.used = true;
        let cell = self.cell;
        // SAFETY: this has the one permit, and nobody looks at the value before the cell counts as set.
        unsafe { *cell.value.get() = Some(value) };
        cell.shared.step(OpKind::OnceSet, self.source, |setting, step| {
            step.writes();
            setting.set = true;
            setting.permits.close(step);
        });
        cell.value().expect("it was set just now")
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        if !self.used {
            self.cell.shared.step_in_drop(OpKind::OnceGiveUp, self.source, |setting, step| {
                step.writes();
                step.release();
                setting.permits.release(1, step);
            });
        }
    }
}

impl<T> OnceCell<T> {
    /// An empty cell.
    pub const fn new() -> OnceCell<T> {
        let setting = Setting { permits: Permits::new(1, true), set: false, made_set: false };
        OnceCell { shared: Shared::new(ObjectKind::OnceCell, setting), value: UnsafeCell::new(None) }
    }

    /// As [`OnceCell::new`].
    pub const fn const_new() -> OnceCell<T> {
        OnceCell::new()
    }

    /// A cell with a value, or an empty one.
    pub fn new_with(value: Option<T>) -> OnceCell<T> {
        value.map_or_else(OnceCell::new, OnceCell::from)
    }

    /// The value of a cell that is known to be set.
    fn value(&self) -> Option<&T> {
        // SAFETY: callers know that the cell is set, so it is not written any more.
        unsafe { (*self.value.get()).as_ref() }
    }

    /// Whether the cell has a value.
    #[track_caller]
    pub fn initialized(&self) -> bool {
        self.is_set(Location::caller())
    }

    fn is_set(&self, source: Source) -> bool {
        self.shared.step(OpKind::OnceGet, source, |setting, step| {
            step.reads();
            step.tried(setting.set);
            setting.set
        })
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.is_set(Location::caller()) { self.value() } else { None }
    }

    /// The value, to be changed.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.shared.mark_changed();
        self.value.get_mut().as_mut()
    }

    /// The value; the cell is empty again.
    pub fn take(&mut self) -> Option<T> {
        let state = self.shared.state_mut();
        *state = Setting { permits: Permits::new(1, true), set: false, made_set: state.made_set };
        self.value.get_mut().take()
    }

    /// The value.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Sets an empty cell.
    ///
    /// # Errors
    /// If it has a value, or somebody is making one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), SetError<T>> {
        let source = Location::caller();
        let mut value = Some(value);
        let refused = self.shared.step(OpKind::OnceSet, source, |setting, step| {
            let free = !setting.set && setting.permits.try_acquire(1, step);
            step.tried(free);
            if !free {
                step.reads();
                return Some(setting.set);
            }
            step.writes();
            // SAFETY: this has the one permit, and the cell is not set.
            unsafe { *self.value.get() = value.take() };
            setting.set = true;
            setting.permits.close(step);
            None
        });
        match (refused, value) {
            (Some(true), Some(value)) => Err(SetError::AlreadyInitializedError(value)),
            (Some(false), Some(value)) => Err(SetError::InitializingError(value)),
            _ => Ok(()),
        }
    }

    /// The value, made by `f` if there is none. If somebody makes it already this waits, and makes it itself should that fail.
    #[track_caller]
    pub fn get_or_init<F, Fut>(&self, f: F) -> impl Future<Output = &T>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let made = self
            .get_or_try_init_at(async move || -> Result<T, Infallible> { Ok(f().await) }, Location::caller());
        async move { made.await.unwrap_or_else(|never| match never {}) }
    }

    /// As [`OnceCell::get_or_init`], with an `f` that can fail.
    ///
    /// # Errors
    /// What `f` fails with; the cell stays empty.
    #[track_caller]
    pub fn get_or_try_init<E, F, Fut>(&self, f: F) -> impl Future<Output = Result<&T, E>>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.get_or_try_init_at(f, Location::caller())
    }

    async fn get_or_try_init_at<E, F, Fut>(&self, f: F, source: Source) -> Result<&T, E>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let turn = Acquire::new(&self.shared, 1, OpKind::OnceSet, OpKind::OnceGiveUp, source);
        if !turn.await {
            // Closed: it is set.
            return Ok(self.value().expect("it is closed once it is set"));
        }
        let turn = Turn { cell: self, used: false, source };
        let value = f().await?;
        Ok(turn.set(value))
    }
}

impl<T> From<T> for OnceCell<T> {
    fn from(value: T) -> OnceCell<T> {
        let mut permits = Permits::new(1, true);
        permits.closed = true;
        let setting = Setting { permits, set: true, made_set: true };
        OnceCell { shared: Shared::new(ObjectKind::OnceCell, setting), value: UnsafeCell::new(Some(value)) }
    }
}

impl<T> Default for OnceCell<T> {
    fn default() -> OnceCell<T> {
        OnceCell::new()
    }
}

opaque_debug!(OnceCell<T>);
