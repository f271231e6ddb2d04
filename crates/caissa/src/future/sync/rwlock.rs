//! [`RwLock`].

use std::cell::UnsafeCell;
use std::fmt;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::Arc;

use caissa_core::{ObjectKind, OpKind};

use super::mutex::TryLockError;
use super::opaque_debug;
use crate::future::block_on;
use crate::future::permits::{Acquire, Permits};
use crate::future::shared::Shared;
use crate::rt::Source;

/// As many can read at a time; who writes needs all of these permits.
const MAX_READERS: usize = (u32::MAX >> 3) as usize;

/// A lock for many readers or one writer that can be held across an await; see tokio's `RwLock`. Who waits longest is served
/// first: a reader that comes after a waiting writer waits for it.
pub struct RwLock<T: ?Sized> {
    shared: Shared<Permits>,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's: readers share the data, a writer has it alone, and permits are counted under a lock wherever they are
// used.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// A free lock.
    pub const fn new(value: T) -> RwLock<T> {
        let shared = Shared::new(ObjectKind::AsyncRwLock, Permits::new(MAX_READERS, true));
        RwLock { shared, data: UnsafeCell::new(value) }
    }

    /// As [`RwLock::new`].
    pub const fn const_new(value: T) -> RwLock<T> {
        RwLock::new(value)
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    fn wait(&self, write: bool, source: Source) -> Acquire<'_, Permits> {
        let (count, op) = if write { (MAX_READERS, OpKind::AsyncWrite) } else { (1, OpKind::AsyncRead) };
        Acquire::new(&self.shared, count, op, OpKind::CancelRwLock, source)
    }

    fn take(&self, write: bool, source: Source) -> Result<(), TryLockError> {
        let (count, op) =
            if write { (MAX_READERS, OpKind::AsyncTryWrite) } else { (1, OpKind::AsyncTryRead) };
        self.shared.step(op, source, |permits, step| {
            let taken = permits.try_acquire(count, step);
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

    fn give_back(&self, write: bool, source: Source) {
        let (count, op) =
            if write { (MAX_READERS, OpKind::AsyncWriteUnlock) } else { (1, OpKind::AsyncReadUnlock) };
        self.shared.step_in_drop(op, source, |permits, step| {
            step.writes();
            step.release();
            permits.release(count, step);
        });
    }

    /// Waits until nobody writes, and nobody waits to write who came before.
    #[track_caller]
    pub fn read(&self) -> impl Future<Output = RwLockReadGuard<'_, T>> {
        let source = Location::caller();
        let wait = self.wait(false, source);
        async move {
            wait.await;
            RwLockReadGuard { lock: self, source }
        }
    }

    /// Waits until nobody reads or writes.
    #[track_caller]
    pub fn write(&self) -> impl Future<Output = RwLockWriteGuard<'_, T>> {
        let source = Location::caller();
        let wait = self.wait(true, source);
        async move {
            wait.await;
            RwLockWriteGuard { lock: self, source }
        }
    }

    /// As [`RwLock::read`], with a guard that owns the lock.
    #[track_caller]
    pub fn read_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockReadGuard<T>> {
        let source = Location::caller();
        async move {
            self.wait(false, source).await;
            OwnedRwLockReadGuard { lock: self, source }
        }
    }

    /// As [`RwLock::write`], with a guard that owns the lock.
    #[track_caller]
    pub fn write_owned(self: Arc<Self>) -> impl Future<Output = OwnedRwLockWriteGuard<T>> {
        let source = Location::caller();
        async move {
            self.wait(true, source).await;
            OwnedRwLockWriteGuard { lock: self, source }
        }
    }

    /// As [`RwLock::read`], blocking the task or thread.
    #[track_caller]
    pub fn blocking_read(&self) -> RwLockReadGuard<'_, T> {
        block_on(self.read())
    }

    /// As [`RwLock::write`], blocking the task or thread.
    #[track_caller]
    pub fn blocking_write(&self) -> RwLockWriteGuard<'_, T> {
        block_on(self.write())
    }

    /// Takes the lock for reading if that is possible now.
    ///
    /// # Errors
    /// If somebody writes, or waits to.
    #[track_caller]
    pub fn try_read(&self) -> Result<RwLockReadGuard<'_, T>, TryLockError> {
        let source = Location::caller();
        self.take(false, source)?;
        Ok(RwLockReadGuard { lock: self, source })
    }

    /// Takes the lock for writing if it is free now.
    ///
    /// # Errors
    /// If somebody reads or writes.
    #[track_caller]
    pub fn try_write(&self) -> Result<RwLockWriteGuard<'_, T>, TryLockError> {
        let source = Location::caller();
        self.take(true, source)?;
        Ok(RwLockWriteGuard { lock: self, source })
    }

    /// As [`RwLock::try_read`], with a guard that owns the lock.
    ///
    /// # Errors
    /// If somebody writes, or waits to.
    #[track_caller]
    pub fn try_read_owned(self: Arc<Self>) -> Result<OwnedRwLockReadGuard<T>, TryLockError> {
        let source = Location::caller();
        self.take(false, source)?;
        Ok(OwnedRwLockReadGuard { lock: self, source })
    }

    /// As [`RwLock::try_write`], with a guard that owns the lock.
    ///
    /// # Errors
    /// If somebody reads or writes.
    #[track_caller]
    pub fn try_write_owned(self: Arc<Self>) -> Result<OwnedRwLockWriteGuard<T>, TryLockError> {
        let source = Location::caller();
        self.take(true, source)?;
        Ok(OwnedRwLockWriteGuard { lock: self, source })
    }

    /// The value: nobody else can have the lock.
    pub fn get_mut(&mut self) -> &mut T {
        self.shared.mark_changed();
        self.data.get_mut()
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

opaque_debug!(RwLock<T: ?Sized>);

macro_rules! guards {
    ($($(#[$doc:meta])* $name:ident $(<$a:lifetime>)?, $lock:ty, write = $write:literal;)*) => {$(
        $(#[$doc])*
        #[must_use = "a guard that is not kept releases at once"]
        pub struct $name<$($a,)? T: ?Sized> {
            lock: $lock,
            source: Source,
        }

        // SAFETY: a shared guard gives shared access to the data.
        unsafe impl<$($a,)? T: ?Sized + Send + Sync> Sync for $name<$($a,)? T> {}

        impl<$($a,)? T: ?Sized> Deref for $name<$($a,)? T> {
            type Target = T;
            fn deref(&self) -> &T {
                // SAFETY: nobody has the data alone while this guard has a permit, save by this guard.
                unsafe { &*self.lock.data.get() }
            }
        }

        impl<$($a,)? T: ?Sized> Drop for $name<$($a,)? T> {
            fn drop(&mut self) {
                self.lock.give_back($write, self.source);
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
    )*};
}

guards! {
    /// Holds a [`RwLock`] for reading until dropped.
    RwLockReadGuard<'a>, &'a RwLock<T>, write = false;
    /// Holds a [`RwLock`] for writing until dropped.
    RwLockWriteGuard<'a>, &'a RwLock<T>, write = true;
    /// Holds a [`RwLock`], which it owns, for reading until dropped.
    OwnedRwLockReadGuard, Arc<RwLock<T>>, write = false;
    /// Holds a [`RwLock`], which it owns, for writing until dropped.
    OwnedRwLockWriteGuard, Arc<RwLock<T>>, write = true;
}

macro_rules! write_guards {
    ($($name:ident $(<$a:lifetime>)? => $read:ident;)*) => {$(
        impl<$($a,)? T: ?Sized> DerefMut for $name<$($a,)? T> {
            fn deref_mut(&mut self) -> &mut T {
                self.lock.shared.mark_changed();
                // SAFETY: the guard has every permit, and is borrowed alone.
                unsafe { &mut *self.lock.data.get() }
            }
        }

        impl<$($a,)? T: ?Sized> $name<$($a,)? T> {
            /// Goes on reading and lets other readers in, but no writer between.
            pub fn downgrade(self) -> $read<$($a,)? T> {
                let this = ManuallyDrop::new(self);
                // SAFETY: the guard is not dropped, so its lock is moved out once.
                let lock = unsafe { std::ptr::read(&this.lock) };
                let read = $read { lock, source: this.source };
                read.lock.shared.step(OpKind::AsyncDowngrade, this.source, |permits, step| {
                    step.writes();
                    permits.release(MAX_READERS - 1, step);
                });
                read
            }
        }
    )*};
}

write_guards! {
    RwLockWriteGuard<'a> => RwLockReadGuard;
    OwnedRwLockWriteGuard => OwnedRwLockReadGuard;
}
