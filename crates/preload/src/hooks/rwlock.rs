//! Reader-writer locks. They prefer nobody: whoever may take one may be chosen.

use std::ffi::{c_int, c_void};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, OpKind};

use super::stubs;
use super::time::deadline_of;
use crate::memory::How;
use crate::real::real;
use crate::rt::{Rt, number};

type Lock = *mut libc::pthread_rwlock_t;
type Time = *const libc::timespec;

stubs! {
    pthread_rwlock_init/2 => init,
    pthread_rwlock_destroy/1 => destroy,
    pthread_rwlock_rdlock/1 => read,
    pthread_rwlock_wrlock/1 => write,
    pthread_rwlock_tryrdlock/1 => try_read,
    pthread_rwlock_trywrlock/1 => try_write,
    pthread_rwlock_timedrdlock/2 => timed_read,
    pthread_rwlock_timedwrlock/2 => timed_write,
    pthread_rwlock_clockrdlock/3 => clock_read,
    pthread_rwlock_clockwrlock/3 => clock_write,
    pthread_rwlock_unlock/1 => unlock,
}

fn entered(lock: Lock) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.native_object(ObjectKind::RwLock, lock as usize);
    Some((rt, object))
}

impl Rt {
    fn hold_shared(&self, object: usize) {
        let me = self.me();
        self.state().objects[object].queue.push(me);
        self.refresh(object);
        self.touch_class(object, Access::Read);
        self.state().execution.acquire(number(object).0 as usize, Access::Read);
    }

    fn hold_alone(&self, object: usize) {
        let me = self.me();
        self.state().objects[object].holder = Some(me);
        self.refresh(object);
        self.touch(object, Access::Write);
    }

    fn take_rwlock(&self, object: usize, writes: bool, deadline: Option<Option<u64>>, pc: usize) -> c_int {
        if self.state().objects[object].holder == Some(self.me()) {
            return libc::EDEADLK;
        }
        let kind = if writes { OpKind::Write } else { OpKind::Read };
        match deadline {
            None => self.point_on(self.op(kind, object), pc),
            Some(None) if !self.state().objects[object].allows(kind, self.me()) => return libc::EINVAL,
            Some(None) => self.point_on(self.op(kind, object), pc),
            Some(Some(deadline)) => {
                let kind = if writes { OpKind::WriteUntil } else { OpKind::ReadUntil };
                if !self.wait_for_lock(object, [kind, OpKind::RwExpires], deadline, pc) {
                    return libc::ETIMEDOUT;
                }
            }
        }
        self.use_object(object, pc);
        if writes {
            self.hold_alone(object)
        } else {
            self.hold_shared(object)
        }
        0
    }

    fn try_rwlock(&self, object: usize, writes: bool, pc: usize) -> c_int {
        let (tries, takes) =
            if writes { (OpKind::TryWrite, OpKind::Write) } else { (OpKind::TryRead, OpKind::Read) };
        self.point(self.op(tries, object), pc);
        self.use_object(object, pc);
        let free = self.state().objects[object].allows(takes, self.me());
        self.note(|| Note::Tried(free));
        if !free {
            self.touch_class(object, super::mutex::looks_as(takes));
            self.yields();
            return libc::EBUSY;
        }
        if writes {
            self.hold_alone(object)
        } else {
            self.hold_shared(object)
        }
        0
    }

    fn give_rwlock_back(&self, object: usize, pc: usize) -> c_int {
        let me = self.me();
        let lock = &self.state().objects[object];
        if lock.holder == Some(me) {
            self.point(self.op(OpKind::WriteUnlock, object), pc);
            self.use_object(object, pc);
            self.state().objects[object].holder = None;
            self.refresh(object);
            self.touch(object, Access::Write);
            return 0;
        }
        self.point(self.op(OpKind::ReadUnlock, object), pc);
        self.use_object(object, pc);
        let readers = &mut self.state().objects[object].queue;
        let Some(index) = readers.iter().position(|&task| task == me) else {
            let message = "unlocks a rwlock that it has not locked".to_owned();
            self.fail("bad-unlock", message, pc);
        };
        readers.swap_remove(index);
        self.refresh(object);
        self.touch_class(object, Access::Read);
        self.state().execution.release(number(object).0 as usize, Access::Read);
        0
    }
}

extern "C-unwind" fn init(lock: Lock, attributes: *const c_void, pc: usize) -> c_int {
    let result = real!(pthread_rwlock_init(lock => Lock, attributes => *const c_void) -> c_int);
    if let Some(rt) = Rt::enter() {
        rt.access(lock as usize, size_of::<libc::pthread_rwlock_t>(), How::Write, pc);
        let object = rt.object(ObjectKind::RwLock, lock as usize);
        rt.state().objects[object].renew();
    }
    result
}

extern "C-unwind" fn destroy(lock: Lock, pc: usize) -> c_int {
    let Some((rt, object)) = entered(lock) else {
        return real!(pthread_rwlock_destroy(lock => Lock) -> c_int);
    };
    rt.use_object(object, pc);
    rt.access(lock as usize, size_of::<libc::pthread_rwlock_t>(), How::Write, pc);
    let state = &mut rt.state().objects[object];
    if let Some(holder) = state.holder.or(state.queue.first().copied()) {
        rt.fail("destroyed", format!("destroys a rwlock that {holder} has locked"), pc);
    }
    state.renew();
    rt.mark_destroyed(object);
    0
}

extern "C-unwind" fn read(lock: Lock, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.take_rwlock(object, false, None, pc),
        None => real!(pthread_rwlock_rdlock(lock => Lock) -> c_int),
    }
}

extern "C-unwind" fn write(lock: Lock, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.take_rwlock(object, true, None, pc),
        None => real!(pthread_rwlock_wrlock(lock => Lock) -> c_int),
    }
}

extern "C-unwind" fn try_read(lock: Lock, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.try_rwlock(object, false, pc),
        None => real!(pthread_rwlock_tryrdlock(lock => Lock) -> c_int),
    }
}

extern "C-unwind" fn try_write(lock: Lock, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.try_rwlock(object, true, pc),
        None => real!(pthread_rwlock_trywrlock(lock => Lock) -> c_int),
    }
}

extern "C-unwind" fn timed_read(lock: Lock, time: Time, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => {
            rt.take_rwlock(object, false, Some(deadline_of(time, libc::CLOCK_REALTIME)), pc)
        }
        None => real!(pthread_rwlock_timedrdlock(lock => Lock, time => Time) -> c_int),
    }
}

extern "C-unwind" fn timed_write(lock: Lock, time: Time, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.take_rwlock(object, true, Some(deadline_of(time, libc::CLOCK_REALTIME)), pc),
        None => real!(pthread_rwlock_timedwrlock(lock => Lock, time => Time) -> c_int),
    }
}

extern "C-unwind" fn clock_read(lock: Lock, clock: c_int, time: Time, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.take_rwlock(object, false, Some(deadline_of(time, clock)), pc),
        None => real!(pthread_rwlock_clockrdlock(lock => Lock, clock => c_int, time => Time) -> c_int),
    }
}

extern "C-unwind" fn clock_write(lock: Lock, clock: c_int, time: Time, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.take_rwlock(object, true, Some(deadline_of(time, clock)), pc),
        None => real!(pthread_rwlock_clockwrlock(lock => Lock, clock => c_int, time => Time) -> c_int),
    }
}

extern "C-unwind" fn unlock(lock: Lock, pc: usize) -> c_int {
    match entered(lock) {
        Some((rt, object)) => rt.give_rwlock_back(object, pc),
        None => real!(pthread_rwlock_unlock(lock => Lock) -> c_int),
    }
}
