//! [`Mutex`].

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectId, ObjectKind, Op, OpKind};

use super::poison::Poison;
use super::traits::{guard_traits, lock_traits};
use crate::rt::{self, Home, Rt, Source};

/// A mutual-exclusion lock; see [`std::sync::Mutex`].
///
/// Inside a check a task that wants a held mutex is not enabled until the mutex is free.
pub struct Mutex<T: ?Sized> {
    home: Home,
    /// What excludes threads outside a check.
    outside: std::sync::Mutex<()>,
    poison: Poison,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's: whoever gets at the data holds the lock. Inside a check the engine lets one task at a time hold
// it, and all tasks run on one OS thread; `Home` keeps checks and threads outside apart.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// Releases its [`Mutex`] when dropped.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    lock: &'a Mutex<T>,
    /// Where it was locked; destructors do not know where they are called from.
    source: Source,
    was_panicking: bool,
    outside: Option<std::sync::MutexGuard<'a, ()>>,
    not_send: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives shared access to the data.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// A new, free mutex.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            home: Home::new(),
            outside: std::sync::Mutex::new(()),
            poison: Poison::new(),
            data: UnsafeCell::new(value),
        }
    }

    /// The value, without locking: nobody else can have the mutex.
    pub fn into_inner(self) -> LockResult<T> {
        let Mutex { home, poison, data, .. } = self;
        poison.wrap(&home, data.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free and takes it.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let source = Location::caller();
        let outside = match rt::inside() {
            Some(rt) => {
                let object = self.object(rt, source);
                rt.point_on(Op::new(OpKind::Lock, ObjectId(object as u32)), source);
                rt.hold(object);
                self.home.set_held(true);
                None
            }
            None if let Some(peek) = rt::peek() => {
                peek.take_now(&self.home, ObjectKind::Mutex, true, source);
                None
            }
            None => {
                let held = self.outside.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                self.home.enter_outside(ObjectKind::Mutex, source);
                Some(held)
            }
        };
        self.poison.wrap(&self.home, self.guard(source, outside))
    }

    /// Takes the mutex if it is free now.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let source = Location::caller();
        let outside = match rt::inside() {
            Some(rt) => {
                let object = self.object(rt, source);
                rt.point(Op::new(OpKind::TryLock, ObjectId(object as u32)), source);
                let free = rt.engine().objects[object].holder.is_none();
                rt.note(|| Note::Tried(free));
                if !free {
                    rt.touch_class(object, Access::Read);
                    rt.yields();
                    return Err(TryLockError::WouldBlock);
                }
                rt.hold(object);
                self.home.set_held(true);
                None
            }
            None if let Some(peek) = rt::peek() => {
                if !peek.take(&self.home, ObjectKind::Mutex, true, source) {
                    return Err(TryLockError::WouldBlock);
                }
                None
            }
            None => {
                let held = match self.outside.try_lock() {
                    Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
                    Err(TryLockError::Poisoned(held)) => held.into_inner(),
                    Ok(held) => held,
                };
                self.home.enter_outside(ObjectKind::Mutex, source);
                Some(held)
            }
        };
        self.poison.wrap(&self.home, self.guard(source, outside)).map_err(TryLockError::Poisoned)
    }

    #[inline]
    fn object(&self, rt: Rt, source: Source) -> usize {
        self.home.find(rt, ObjectKind::Mutex, source, || false)
    }

    #[inline]
    fn guard<'a>(
        &'a self,
        source: Source,
        outside: Option<std::sync::MutexGuard<'a, ()>>,
    ) -> MutexGuard<'a, T> {
        let was_panicking = std::thread::panicking();
        MutexGuard { lock: self, source, was_panicking, outside, not_send: PhantomData }
    }

    /// The value, without locking: nobody else can have the mutex.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let Mutex { home, poison, data, .. } = self;
        poison.wrap(home, data.get_mut())
    }
}

impl Rt {
    /// The running task takes a lock that is free.
    #[inline]
    pub(crate) fn hold(self, object: usize) {
        let engine = self.engine();
        let task = engine.running;
        engine.objects[object].holder = Some(task);
        engine.refresh(object);
        engine.execution.touch_class(object, Access::Write);
        engine.execution.acquire(object, Access::Write);
    }

    /// The running task gives a lock back.
    #[inline]
    pub(crate) fn release(self, object: usize) {
        let engine = self.engine();
        engine.objects[object].holder = None;
        engine.refresh(object);
        engine.execution.touch_class(object, Access::Write);
        engine.execution.release(object, Access::Write);
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// For [`super::Condvar`]: the mutex, where it was locked, and what a thread outside holds.
    pub(super) fn into_parts(self) -> (&'a Mutex<T>, Source, Option<std::sync::MutexGuard<'a, ()>>) {
        let mut guard = std::mem::ManuallyDrop::new(self);
        (guard.lock, guard.source, guard.outside.take())
    }

    /// The guard again, once the mutex is held again.
    pub(super) fn from_parts(
        lock: &'a Mutex<T>,
        source: Source,
        outside: Option<std::sync::MutexGuard<'a, ()>>,
    ) -> LockResult<MutexGuard<'a, T>> {
        lock.poison.wrap(&lock.home, lock.guard(source, outside))
    }

    /// The data, for a condition that is only expected to look: it does not count as a change.
    pub(super) fn for_condition(&mut self) -> &mut T {
        // SAFETY: the guard holds the lock, alone.
        unsafe { &mut *self.lock.data.get() }
    }

    pub(super) fn home(lock: &Mutex<T>) -> &Home {
        &lock.home
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.poison.done(self.was_panicking, &self.lock.home);
        if self.outside.is_some() {
            self.lock.home.leave_outside();
        } else if let Some(rt) = rt::inside() {
            // A guard that was kept beyond its execution has nothing to release.
            let Some(object) = self.lock.home.find_present(rt) else { return };
            rt.point_then(Op::new(OpKind::Unlock, ObjectId(object as u32)), self.source, || {
                self.lock.home.set_held(false);
                rt.release(object);
            });
        } else {
            rt::give_back(&self.lock.home);
        }
    }
}

guard_traits!(MutexGuard, exclusive);
lock_traits!(Mutex, try_lock, "<locked>", IsPoisoned, ClearPoison);
