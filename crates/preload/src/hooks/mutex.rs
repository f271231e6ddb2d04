//! Mutexes and spin locks.
//!
//! What kind of mutex it is lies in its memory, where an initialiser has put it. One that was destroyed is known by what `destroy` leaves there.

use std::ffi::{c_int, c_void};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, OpKind};

use super::stubs;
use super::time::deadline_of;
use crate::memory::How;
use crate::object::Flavour;
use crate::real::real;
use crate::rt::Rt;
use crate::wait::{Ended, Wait};

type Mutex = *mut libc::pthread_mutex_t;
type Time = *const libc::timespec;

/// Where the kind lies in a mutex, as libc has it.
const KIND: usize = 16;
const KIND_MASK: i32 = 3;
const RECURSIVE: i32 = 1;
const ERROR_CHECK: i32 = 2;
const ROBUST: i32 = 16;

stubs! {
    pthread_mutex_init/2 => init,
    pthread_mutex_destroy/1 => destroy,
    pthread_mutex_lock/1 => lock,
    pthread_mutex_trylock/1 => try_lock,
    pthread_mutex_timedlock/2 => timed_lock,
    pthread_mutex_clocklock/3 => clock_lock,
    pthread_mutex_unlock/1 => unlock,
    pthread_mutex_consistent/1 => make_consistent,
    pthread_spin_init/2 => spin_init,
    pthread_spin_destroy/1 => spin_destroy,
    pthread_spin_lock/1 => spin_lock,
    pthread_spin_trylock/1 => spin_try_lock,
    pthread_spin_unlock/1 => spin_unlock,
}

fn kind(mutex: Mutex) -> *mut i32 {
    mutex.wrapping_byte_add(KIND).cast()
}

impl Rt {
    /// The object of a mutex, which is about to be used.
    fn mutex(&self, mutex: Mutex) -> usize {
        let object = self.native_object(ObjectKind::Mutex, mutex as usize);
        let state = &mut self.state().objects[object];
        // As long as nobody holds it, it may have become another one.
        if !state.known || state.holder.is_none() {
            state.known = true;
            // SAFETY: the program's own mutex.
            let kind = unsafe { *kind(mutex) };
            state.flavour = match kind & KIND_MASK {
                RECURSIVE => Flavour::Recursive,
                ERROR_CHECK => Flavour::ErrorCheck,
                _ => Flavour::Normal,
            };
            state.robust = kind & ROBUST != 0;
        }
        object
    }

    /// The running task holds a mutex from now on.
    pub(crate) fn hold(&self, object: usize) {
        let me = self.me();
        let mutex = &mut self.state().objects[object];
        mutex.holder = Some(me);
        mutex.count = 1;
        self.refresh(object);
        self.touch(object, Access::Write);
    }

    /// The running task holds a mutex no longer.
    pub(crate) fn release(&self, object: usize) {
        let mutex = &mut self.state().objects[object];
        mutex.holder = None;
        mutex.count = 0;
        self.refresh(object);
        self.touch(object, Access::Write);
    }

    /// What taking a mutex returns, once it is held.
    pub(crate) fn taken(&self, object: usize) -> c_int {
        self.hold(object);
        if self.state().objects[object].abandoned { libc::EOWNERDEAD } else { 0 }
    }

    /// Takes a mutex, waiting for it if need be, until a deadline if there is one.
    pub(super) fn take(&self, object: usize, deadline: Option<Option<u64>>, pc: usize) -> c_int {
        let me = self.me();
        let mutex = &mut self.state().objects[object];
        if mutex.holder == Some(me) {
            match mutex.flavour {
                Flavour::Recursive => {
                    self.point(self.op(OpKind::Lock, object), pc);
                    self.use_object(object, pc);
                    self.touch_nothing();
                    self.state().objects[object].count += 1;
                    return 0;
                }
                Flavour::ErrorCheck => return libc::EDEADLK,
                Flavour::Normal => {}
            }
        }
        match deadline {
            None => self.point_on(self.op(OpKind::Lock, object), pc),
            // The deadline makes no sense, which matters to those who have to wait.
            Some(None) if !mutex.allows(OpKind::Lock, me) => return libc::EINVAL,
            Some(None) => self.point_on(self.op(OpKind::Lock, object), pc),
            Some(Some(deadline)) => {
                if !self.wait_for_lock(object, [OpKind::LockUntil, OpKind::LockExpires], deadline, pc) {
                    return libc::ETIMEDOUT;
                }
            }
        }
        self.use_object(object, pc);
        if self.state().objects[object].unusable {
            self.touch_class(object, Access::Read);
            return libc::ENOTRECOVERABLE;
        }
        self.taken(object)
    }

    /// Waits until an operation on a lock can take effect, or a deadline has passed: false then.
    pub(crate) fn wait_for_lock(&self, object: usize, kinds: [OpKind; 2], deadline: u64, pc: usize) -> bool {
        let [kind, expires] = kinds.map(|kind| self.op(kind, object));
        // Coming to wait is a step of its own, since it reads the clock.
        self.point(kind, pc);
        if self.state().objects[object].allows(kind.kind, self.me()) {
            return true;
        }
        let looks = looks_as(kind.kind);
        self.touch_class(object, looks);
        let wait = Wait { op: kind, deadline: Some(deadline), expires, wakes: None, on: Some(object) };
        let ended = self.wait_until(wait, pc);
        if ended == Ended::TimedOut {
            self.advance(deadline);
            self.touch_class(object, looks);
            self.note(|| Note::Tried(false));
            return false;
        }
        true
    }

    /// Takes a mutex if it is free.
    pub(super) fn try_take(&self, object: usize, pc: usize) -> c_int {
        self.point(self.op(OpKind::TryLock, object), pc);
        self.use_object(object, pc);
        let me = self.me();
        let mutex = &mut self.state().objects[object];
        let recursive = mutex.holder == Some(me) && mutex.flavour == Flavour::Recursive;
        let free = mutex.holder.is_none() || recursive;
        self.note(|| Note::Tried(free));
        if recursive {
            self.touch_nothing();
            self.state().objects[object].count += 1;
            return 0;
        }
        if !free {
            self.touch_class(object, Access::Read);
            self.yields();
            return libc::EBUSY;
        }
        if self.state().objects[object].unusable {
            self.touch_class(object, Access::Read);
            return libc::ENOTRECOVERABLE;
        }
        self.taken(object)
    }

    /// Gives a mutex back.
    pub(super) fn give_back(&self, object: usize, what: &str, pc: usize) -> c_int {
        self.point(self.op(OpKind::Unlock, object), pc);
        self.use_object(object, pc);
        let me = self.me();
        let mutex = &mut self.state().objects[object];
        let (holder, flavour) = (mutex.holder, mutex.flavour);
        if holder != Some(me) {
            if flavour == Flavour::ErrorCheck || mutex.robust {
                self.touch_class(object, Access::Read);
                return libc::EPERM;
            }
            let message = match holder {
                None => format!("unlocks a {what} that is not locked"),
                Some(other) => format!("unlocks a {what} that {other} has locked"),
            };
            self.fail("bad-unlock", message, pc);
        }
        if mutex.count > 1 {
            mutex.count -= 1;
            self.touch_nothing();
            return 0;
        }
        // Nobody has said that it is consistent.
        mutex.unusable |= mutex.abandoned;
        self.release(object);
        0
    }

    /// Destroys a lock: nobody must hold it, or use it from now on.
    fn destroy_lock(&self, object: usize, address: usize, size: usize, what: &str, pc: usize) {
        self.access(address, size, How::Write, pc);
        let lock = &mut self.state().objects[object];
        if lock.holder.is_some() || !lock.queue.is_empty() {
            let holder = lock.holder.or(lock.queue.first().copied()).unwrap_or(self.me());
            let message = format!("destroys a {what} that {holder} has locked");
            self.fail("destroyed", message, pc);
        }
        lock.renew();
    }
}

/// How who finds a lock taken has touched it: readers, who do not touch each other, are in the way of a writer.
pub(super) fn looks_as(kind: OpKind) -> Access {
    if matches!(kind, OpKind::Write | OpKind::WriteUntil) { Access::Write } else { Access::Read }
}

pub(super) extern "C-unwind" fn init(mutex: Mutex, attributes: *const c_void, pc: usize) -> c_int {
    let result = real!(pthread_mutex_init(mutex => Mutex, attributes => *const c_void) -> c_int);
    if let Some(rt) = Rt::enter() {
        rt.access(mutex as usize, size_of::<libc::pthread_mutex_t>(), How::Write, pc);
        let object = rt.object(ObjectKind::Mutex, mutex as usize);
        rt.state().objects[object].renew();
    }
    result
}

pub(super) extern "C-unwind" fn destroy(mutex: Mutex, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(pthread_mutex_destroy(mutex => Mutex) -> c_int) };
    let object = rt.mutex(mutex);
    rt.use_object(object, pc);
    rt.destroy_lock(object, mutex as usize, size_of::<libc::pthread_mutex_t>(), "mutex", pc);
    rt.mark_destroyed(object);
    0
}

/// A mutex is about to be used.
fn entered(mutex: Mutex) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.mutex(mutex);
    Some((rt, object))
}

pub(super) extern "C-unwind" fn lock(mutex: Mutex, pc: usize) -> c_int {
    match entered(mutex) {
        Some((rt, object)) => rt.take(object, None, pc),
        None => real!(pthread_mutex_lock(mutex => Mutex) -> c_int),
    }
}

pub(super) extern "C-unwind" fn try_lock(mutex: Mutex, pc: usize) -> c_int {
    match entered(mutex) {
        Some((rt, object)) => rt.try_take(object, pc),
        None => real!(pthread_mutex_trylock(mutex => Mutex) -> c_int),
    }
}

pub(super) extern "C-unwind" fn timed_lock(mutex: Mutex, time: Time, pc: usize) -> c_int {
    match entered(mutex) {
        Some((rt, object)) => rt.take(object, Some(deadline_of(time, libc::CLOCK_REALTIME)), pc),
        None => real!(pthread_mutex_timedlock(mutex => Mutex, time => Time) -> c_int),
    }
}

extern "C-unwind" fn clock_lock(mutex: Mutex, clock: c_int, time: Time, pc: usize) -> c_int {
    match entered(mutex) {
        Some((rt, object)) => rt.take(object, Some(deadline_of(time, clock)), pc),
        None => real!(pthread_mutex_clocklock(mutex => Mutex, clock => c_int, time => Time) -> c_int),
    }
}

pub(super) extern "C-unwind" fn unlock(mutex: Mutex, pc: usize) -> c_int {
    match entered(mutex) {
        Some((rt, object)) => rt.give_back(object, "mutex", pc),
        None => real!(pthread_mutex_unlock(mutex => Mutex) -> c_int),
    }
}

extern "C-unwind" fn make_consistent(mutex: Mutex, _pc: usize) -> c_int {
    let Some((rt, object)) = entered(mutex) else {
        return real!(pthread_mutex_consistent(mutex => Mutex) -> c_int);
    };
    let mutex = &mut rt.state().objects[object];
    if !mutex.abandoned {
        return libc::EINVAL;
    }
    mutex.abandoned = false;
    0
}

/// The object that stands for a mutex which a task waits to have back, as a condvar knows it.
pub(super) fn of_condvar(rt: &Rt, mutex: Mutex) -> usize {
    rt.mutex(mutex)
}

type Spin = *mut i32;

fn spin(address: Spin) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.object(ObjectKind::Mutex, address as usize);
    Some((rt, object))
}

extern "C-unwind" fn spin_init(address: Spin, shared: c_int, pc: usize) -> c_int {
    if let Some((rt, object)) = spin(address) {
        rt.access(address as usize, 4, How::Write, pc);
        rt.state().objects[object].renew();
    }
    real!(pthread_spin_init(address => Spin, shared => c_int) -> c_int)
}

extern "C-unwind" fn spin_destroy(address: Spin, pc: usize) -> c_int {
    if let Some((rt, object)) = spin(address) {
        rt.destroy_lock(object, address as usize, 4, "spin lock", pc);
        return 0;
    }
    real!(pthread_spin_destroy(address => Spin) -> c_int)
}

extern "C-unwind" fn spin_lock(address: Spin, pc: usize) -> c_int {
    match spin(address) {
        Some((rt, object)) => rt.take(object, None, pc),
        None => real!(pthread_spin_lock(address => Spin) -> c_int),
    }
}

extern "C-unwind" fn spin_try_lock(address: Spin, pc: usize) -> c_int {
    match spin(address) {
        Some((rt, object)) => rt.try_take(object, pc),
        None => real!(pthread_spin_trylock(address => Spin) -> c_int),
    }
}

extern "C-unwind" fn spin_unlock(address: Spin, pc: usize) -> c_int {
    match spin(address) {
        Some((rt, object)) => rt.give_back(object, "spin lock", pc),
        None => real!(pthread_spin_unlock(address => Spin) -> c_int),
    }
}
