//! [`Mutex`].

use std::cell::UnsafeCell;
use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::Arc;

use caissa_core::{ObjectKind, OpKind};

use super::opaque_debug;
use crate::future::block_on;
use crate::future::permits::{Acquire, Permits};
use crate::future::shared::Shared;
use crate::rt::Source;

/// A lock that can be held across an await; see tokio's `Mutex`. Who waits longest is served first.
pub struct Mutex<T: ?Sized> {
    shared: Shared<Permits>,
    data: UnsafeCell<T>,
}

// SAFETY: whoever gets at the data has the one permit, and permits are counted under a lock wherever they are used.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// The lock is held.
#[derive(Debug, PartialEq, Eq)]
pub struct TryLockError(pub(super) ());

impl fmt::Display for TryLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the lock is held")
    }
}

impl std::error::Error for TryLockError {}

impl<T> Mutex<T> {
    /// A free lock.
    pub const fn new(value: T) -> Mutex<T> {
        let shared = Shared::new(ObjectKind::AsyncMutex, Permits::new(1, true));
        Mutex { shared, data: UnsafeCell::new(value) }
    }

    /// As [`Mutex::new`].
    pub const fn const_new(value: T) -> Mutex<T> {
        Mutex::new(value)
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    fn wait(&self, source: Source) -> Acquire<'_, Permits> {
        Acquire::new(&self.shared, 1, OpKind::AsyncLock, OpKind::CancelLock, source)
    }

    /// Waits until the lock is free and takes it.
    #[track_caller]
    pub fn lock(&self) -> impl Future<Output = MutexGuard<'_, T>> {
        let source = Location::caller();
        let wait = self.wait(source);
        async move {
            wait.await;
            MutexGuard { lock: self, source }
        }
    }

    /// As [`Mutex::lock`], with a guard that owns the lock.
    #[track_caller]
    pub fn lock_owned(self: Arc<Self>) -> impl Future<Output = OwnedMutexGuard<T>> {
        let source = Location::caller();
        async move {
            self.wait(source).await;
            OwnedMutexGuard { lock: self, source }
        }
    }

    /// As [`Mutex::lock`], blocking the task or thread.
    #[track_caller]
    pub fn blocking_lock(&self) -> MutexGuard<'_, T> {
        block_on(self.lock())
    }

    /// As [`Mutex::lock_owned`], blocking the task or thread.
    #[track_caller]
    pub fn blocking_lock_owned(self: Arc<Self>) -> OwnedMutexGuard<T> {
        block_on(self.lock_owned())
    }

    fn take(&self, source: Source) -> Result<(), TryLockError> {
        self.shared.step(OpKind::AsyncTryLock, source, |permits, step| {
            let taken = permits.try_acquire(1, step);
            step.tried(taken);
            if !taken {
                step.reads();
                crate::rt::yields();
                return Err(TryLockError(()));
            }
            step.writes();
            Ok(())
        })
    }

    /// Takes the lock if it is free now.
    ///
    /// # Errors
    /// If it is held.
    #[track_caller]
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError> {
        let source = Location::caller();
        self.take(source)?;
        Ok(MutexGuard { lock: self, source })
    }

    /// As [`Mutex::try_lock`], with a guard that owns the lock.
    ///
    /// # Errors
    /// If it is held.
    #[track_caller]
    pub fn try_lock_owned(self: Arc<Self>) -> Result<OwnedMutexGuard<T>, TryLockError> {
        let source = Location::caller();
        self.take(source)?;
        Ok(OwnedMutexGuard { lock: self, source })
    }

    /// The value: nobody else can have the lock.
    pub fn get_mut(&mut self) -> &mut T {
        self.shared.mark_changed();
        self.data.get_mut()
    }

    fn unlock(&self, source: Source) {
        self.shared.step_in_drop(OpKind::AsyncUnlock, source, |permits, step| {
            step.writes();
            step.release();
            permits.release(1, step);
        });
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

opaque_debug!(Mutex<T: ?Sized>);

/// Releases its [`Mutex`] when dropped.
#[must_use = "a guard that is not kept releases at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    lock: &'a Mutex<T>,
    source: Source,
}

/// Releases its [`Mutex`], which it owns, when dropped.
#[must_use = "a guard that is not kept releases at once"]
pub struct OwnedMutexGuard<T: ?Sized> {
    lock: Arc<Mutex<T>>,
    source: Source,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The lock of a guard.
    pub fn mutex(this: &MutexGuard<'a, T>) -> &'a Mutex<T> {
        this.lock
    }
}

impl<T: ?Sized> OwnedMutexGuard<T> {
    /// The lock of a guard.
    pub fn mutex(this: &OwnedMutexGuard<T>) -> &Arc<Mutex<T>> {
        &this.lock
    }
}

macro_rules! guard {
    ($name:ident $(<$a:lifetime>)?) => {
        // SAFETY: a shared guard gives shared access to the data.
        unsafe impl<$($a,)? T: ?Sized + Send + Sync> Sync for $name<$($a,)? T> {}

        impl<$($a,)? T: ?Sized> Deref for $name<$($a,)? T> {
            type Target = T;
            fn deref(&self) -> &T {
                // SAFETY: the guard has the permit.
                unsafe { &*self.lock.data.get() }
            }
        }

        impl<$($a,)? T: ?Sized> DerefMut for $name<$($a,)? T> {
            fn deref_mut(&mut self) -> &mut T {
                self.lock.shared.mark_changed();
                // SAFETY: the guard has the permit, and is borrowed alone.
                unsafe { &mut *self.lock.data.get() }
            }
        }

        impl<$($a,)? T: ?Sized> Drop for $name<$($a,)? T> {
            fn drop(&mut self) {
                self.lock.unlock(self.source);
            }
        }

        impl<$($a,)? T: ?Sized + fmt::Debug> fmt::Debug for $name<$($a,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<$($a,)? T: ?Sized + fmt::Display> fmt::Display for $name<$($a,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

guard!(MutexGuard<'a>);
guard!(OwnedMutexGuard);
