//! [`RwLock`].

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectId, ObjectKind, Op, OpKind, TaskId};

use super::poison::Poison;
use super::traits::{guard_traits, lock_traits};
use crate::rt::{self, Home, Rt, Source};

/// A reader-writer lock; see [`std::sync::RwLock`]. It prefers nobody: whoever could have it may be chosen.
pub struct RwLock<T: ?Sized> {
    home: Home,
    /// What excludes threads outside a check.
    outside: std::sync::RwLock<()>,
    poison: Poison,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's; see `Mutex` for what keeps tasks and threads apart.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above; readers share the data, hence `Sync`.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

/// Shared access to a [`RwLock`], given back when dropped.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    source: Source,
    /// The task that took it; inside a check another may drop it.
    reader: TaskId,
    outside: Option<std::sync::RwLockReadGuard<'a, ()>>,
    /// A shared guard is as safe to unwind past as a shared reference to the data, and stays on its thread.
    not_send: PhantomData<*const T>,
}

/// Exclusive access to a [`RwLock`], given back when dropped.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    source: Source,
    was_panicking: bool,
    outside: Option<std::sync::RwLockWriteGuard<'a, ()>>,
    not_send: PhantomData<*const ()>,
}

// SAFETY: a shared guard gives shared access to the data.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// A new, free lock.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            home: Home::new(),
            outside: std::sync::RwLock::new(()),
            poison: Poison::new(),
            data: UnsafeCell::new(value),
        }
    }

    /// The value, without locking: nobody else can have the lock.
    pub fn into_inner(self) -> LockResult<T> {
        let RwLock { home, poison, data, .. } = self;
        poison.wrap(&home, data.into_inner())
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes and takes the lock for reading.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let source = Location::caller();
        let outside = match rt::inside() {
            Some(rt) => {
                let object = self.object(rt, source);
                rt.point_on(Op::new(OpKind::Read, ObjectId(object as u32)), source);
                rt.hold_shared(object);
                self.home.set_held(true);
                None
            }
            None if let Some(peek) = rt::peek() => {
                peek.take_now(&self.home, ObjectKind::RwLock, false, source);
                None
            }
            None => Some(self.enter_shared(source, self.outside.read().unwrap_or_else(|e| e.into_inner()))),
        };
        self.poison.wrap(&self.home, self.read_guard(source, outside))
    }

    /// Takes the lock for reading if nobody writes now.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let source = Location::caller();
        let outside = match rt::inside() {
            Some(rt) => {
                let object = self.object(rt, source);
                rt.point(Op::new(OpKind::TryRead, ObjectId(object as u32)), source);
                let free = rt.engine().objects[object].holder.is_none();
                rt.note(|| Note::Tried(free));
                if !free {
                    rt.touch_class(object, Access::Read);
                    rt.yields();
                    return Err(TryLockError::WouldBlock);
                }
                rt.hold_shared(object);
                self.home.set_held(true);
                None
            }
            None if let Some(peek) = rt::peek() => {
                if !peek.take(&self.home, ObjectKind::RwLock, false, source) {
                    return Err(TryLockError::WouldBlock);
                }
                None
            }
            None => match self.outside.try_read() {
                Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
                Err(TryLockError::Poisoned(held)) => Some(self.enter_shared(source, held.into_inner())),
                Ok(held) => Some(self.enter_shared(source, held)),
            },
        };
        let guard = self.read_guard(source, outside);
        self.poison.wrap(&self.home, guard).map_err(TryLockError::Poisoned)
    }

    /// Waits until nobody reads or writes and takes the lock for writing.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let source = Location::caller();
        let outside = match rt::inside() {
            Some(rt) => {
                let object = self.object(rt, source);
                rt.point_on(Op::new(OpKind::Write, ObjectId(object as u32)), source);
                rt.hold(object);
                self.home.set_held(true);
                None
            }
            None if let Some(peek) = rt::peek() => {
                peek.take_now(&self.home, ObjectKind::RwLock, true, source);
                None
            }
            None => {
                let held = self.outside.write().unwrap_or_else(|e| e.into_inner());
                self.home.enter_outside(ObjectKind::RwLock, source);
                Some(held)
            }
        };
        self.poison.wrap(&self.home, self.write_guard(source, outside))
    }

    /// Takes the lock for writing if nobody reads or writes now.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let source = Location::caller();
        let outside = match rt::inside() {
            Some(rt) => {
                let object = self.object(rt, source);
                rt.point(Op::new(OpKind::TryWrite, ObjectId(object as u32)), source);
                let free = rt.engine().objects[object].allows(OpKind::Write, rt.current());
                rt.note(|| Note::Tried(free));
                if !free {
                    // Readers count as reads of the lock, and this depends on them.
                    rt.touch_class(object, Access::Write);
                    rt.yields();
                    return Err(TryLockError::WouldBlock);
                }
                rt.hold(object);
                self.home.set_held(true);
                None
            }
            None if let Some(peek) = rt::peek() => {
                if !peek.take(&self.home, ObjectKind::RwLock, true, source) {
                    return Err(TryLockError::WouldBlock);
                }
                None
            }
            None => {
                let held = match self.outside.try_write() {
                    Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
                    Err(TryLockError::Poisoned(held)) => held.into_inner(),
                    Ok(held) => held,
                };
                self.home.enter_outside(ObjectKind::RwLock, source);
                Some(held)
            }
        };
        self.poison.wrap(&self.home, self.write_guard(source, outside)).map_err(TryLockError::Poisoned)
    }

    fn object(&self, rt: Rt, source: Source) -> usize {
        self.home.find(rt, ObjectKind::RwLock, source, || false)
    }

    fn enter_shared<'a>(
        &'a self,
        source: Source,
        held: std::sync::RwLockReadGuard<'a, ()>,
    ) -> std::sync::RwLockReadGuard<'a, ()> {
        self.home.enter_outside(ObjectKind::RwLock, source);
        held
    }

    fn read_guard<'a>(
        &'a self,
        source: Source,
        outside: Option<std::sync::RwLockReadGuard<'a, ()>>,
    ) -> RwLockReadGuard<'a, T> {
        let reader = rt::inside().map_or(TaskId::MAIN, Rt::current);
        RwLockReadGuard { lock: self, source, reader, outside, not_send: PhantomData }
    }

    fn write_guard<'a>(
        &'a self,
        source: Source,
        outside: Option<std::sync::RwLockWriteGuard<'a, ()>>,
    ) -> RwLockWriteGuard<'a, T> {
        let was_panicking = std::thread::panicking();
        RwLockWriteGuard { lock: self, source, was_panicking, outside, not_send: PhantomData }
    }

    /// The value, without locking: nobody else can have the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let RwLock { home, poison, data, .. } = self;
        poison.wrap(home, data.get_mut())
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Turns the guard into one for reading, with no writer in between.
    #[track_caller]
    pub fn downgrade(guard: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let source = Location::caller();
        let inside = rt::inside().and_then(|rt| Some((rt, guard.lock.home.find_present(rt)?)));
        if let (Some((rt, object)), None) = (inside, &guard.outside) {
            // The guard still holds the lock if the execution ends at this point.
            rt.point(Op::new(OpKind::Downgrade, ObjectId(object as u32)), source);
            let mut guard = std::mem::ManuallyDrop::new(guard);
            guard.outside = None;
            rt.downgrade(object);
            return guard.lock.read_guard(source, None);
        }
        let mut guard = std::mem::ManuallyDrop::new(guard);
        let outside = guard.outside.take().map(std::sync::RwLockWriteGuard::downgrade);
        guard.lock.read_guard(source, outside)
    }
}

impl Rt {
    /// The running task goes on reading what it has written.
    fn downgrade(self, object: usize) {
        let engine = self.engine();
        let task = engine.running;
        engine.objects[object].holder = None;
        engine.objects[object].queue.push(task);
        engine.refresh(object);
        engine.execution.touch_class(object, Access::Write);
        engine.execution.release(object, Access::Write);
    }

    fn hold_shared(self, object: usize) {
        let engine = self.engine();
        let task = engine.running;
        engine.objects[object].queue.push(task);
        engine.refresh(object);
        engine.execution.touch_class(object, Access::Read);
        engine.execution.acquire(object, Access::Read);
    }

    fn release_shared(self, object: usize, reader: TaskId) {
        let engine = self.engine();
        let readers = &mut engine.objects[object].queue;
        if let Some(index) = readers.iter().position(|&task| task == reader) {
            readers.swap_remove(index);
        }
        engine.refresh(object);
        engine.execution.touch_class(object, Access::Read);
        engine.execution.release(object, Access::Read);
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        if self.outside.is_some() {
            self.lock.home.leave_outside();
        } else if let Some(rt) = rt::inside() {
            let Some(object) = self.lock.home.find_present(rt) else { return };
            rt.point_then(Op::new(OpKind::ReadUnlock, ObjectId(object as u32)), self.source, || {
                rt.release_shared(object, self.reader);
                self.lock.home.set_held(!rt.engine().objects[object].queue.is_empty());
            });
        } else {
            rt::give_back(&self.lock.home);
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.poison.done(self.was_panicking, &self.lock.home);
        if self.outside.is_some() {
            self.lock.home.leave_outside();
        } else if let Some(rt) = rt::inside() {
            let Some(object) = self.lock.home.find_present(rt) else { return };
            rt.point_then(Op::new(OpKind::WriteUnlock, ObjectId(object as u32)), self.source, || {
                self.lock.home.set_held(false);
                rt.release(object);
            });
        } else {
            rt::give_back(&self.lock.home);
        }
    }
}

guard_traits!(RwLockReadGuard);
guard_traits!(RwLockWriteGuard, exclusive);
lock_traits!(RwLock, try_read, format_args!("<locked>"), IsRwPoisoned, ClearRwPoison);
