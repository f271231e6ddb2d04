//! Semaphores. The value lies in the program's memory too, where `sem_init` has put it.

use std::ffi::{CStr, c_char, c_int, c_uint};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, OpKind};

use super::time::deadline_of;
use super::{fails, stubs};
use crate::memory::How;
use crate::real::real;
use crate::rt::{Rt, number};
use crate::wait::{Ended, Wait};

type Semaphore = *mut libc::sem_t;
type Time = *const libc::timespec;

stubs! {
    sem_init/3 => init,
    sem_destroy/1 => destroy,
    sem_wait/1 => wait,
    sem_trywait/1 => try_wait,
    sem_timedwait/2 => timed_wait,
    sem_clockwait/3 => clock_wait,
    sem_post/1 => post,
    sem_getvalue/2 => value,
    sem_open/4 => open,
}

fn entered(semaphore: Semaphore) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.native_object(ObjectKind::Semaphore, semaphore as usize);
    let state = &mut rt.state().objects[object];
    if !std::mem::replace(&mut state.known, true) {
        // SAFETY: the program's own; the value comes first.
        state.count = unsafe { *semaphore.cast::<u32>() };
    }
    Some((rt, object))
}

/// A copy of the process is let go: values are where libc has them.
pub(super) fn write_values(rt: &Rt) {
    let state = rt.state();
    for object in &state.objects[..state.object_count] {
        if object.kind == ObjectKind::Semaphore && object.known {
            // SAFETY: the program's own; the value comes first.
            unsafe { (object.address as *mut u32).write(object.count) };
        }
    }
}

impl Rt {
    fn take_one(&self, object: usize, pc: usize) -> c_int {
        self.use_object(object, pc);
        let semaphore = &mut self.state().objects[object];
        let before = semaphore.count;
        semaphore.count -= 1;
        self.gets_on();
        self.refresh(object);
        // Whoever looks at it later does not come after this task.
        self.touch_class(object, Access::Write);
        self.state().execution.acquire(number(object).0 as usize, Access::Write);
        self.note(|| Note::Changed(before.to_string(), (before - 1).to_string()));
        0
    }

    fn sem_wait_until(&self, object: usize, deadline: Option<u64>, pc: usize) -> c_int {
        self.exit_if_cancelled();
        self.point(self.op(OpKind::SemWaitUntil, object), pc);
        self.exit_if_cancelled();
        if self.state().objects[object].count == 0 {
            self.touch_class(object, Access::Read);
            // A time that is none matters to those who have to wait.
            let Some(deadline) = deadline else { return fails(libc::EINVAL) };
            let op = |kind| self.op(kind, object);
            let wait = Wait {
                op: op(OpKind::SemWaitUntil),
                deadline: Some(deadline),
                expires: op(OpKind::SemExpires),
                wakes: None,
                on: Some(object),
            };
            if self.wait_until(wait, pc) == Ended::TimedOut {
                self.advance(deadline);
                self.touch_class(object, Access::Read);
                return fails(libc::ETIMEDOUT);
            }
            self.exit_if_cancelled();
        }
        self.take_one(object, pc)
    }
}

extern "C-unwind" fn init(semaphore: Semaphore, shared: c_int, value: c_uint, pc: usize) -> c_int {
    let result = real!(sem_init(semaphore => Semaphore, shared => c_int, value => c_uint) -> c_int);
    if let Some(rt) = Rt::enter() {
        rt.access(semaphore as usize, size_of::<libc::sem_t>(), How::Write, pc);
        let object = rt.native_object(ObjectKind::Semaphore, semaphore as usize);
        rt.mark_made(object);
        let state = &mut rt.state().objects[object];
        state.renew();
        state.known = true;
        state.count = value;
    }
    result
}

extern "C-unwind" fn destroy(semaphore: Semaphore, pc: usize) -> c_int {
    let Some((rt, object)) = entered(semaphore) else {
        return real!(sem_destroy(semaphore => Semaphore) -> c_int);
    };
    rt.use_object(object, pc);
    rt.access(semaphore as usize, size_of::<libc::sem_t>(), How::Write, pc);
    let state = &rt.state().objects[object];
    if let Some(waiter) = state.waiting.iter().next() {
        rt.fail("destroyed", format!("destroys a semaphore at which {waiter} waits"), pc);
    }
    rt.mark_destroyed(object);
    0
}

extern "C-unwind" fn wait(semaphore: Semaphore, pc: usize) -> c_int {
    let Some((rt, object)) = entered(semaphore) else {
        return real!(sem_wait(semaphore => Semaphore) -> c_int);
    };
    rt.exit_if_cancelled();
    rt.point_on(rt.op(OpKind::SemWait, object), pc);
    rt.exit_if_cancelled();
    rt.take_one(object, pc)
}

extern "C-unwind" fn try_wait(semaphore: Semaphore, pc: usize) -> c_int {
    let Some((rt, object)) = entered(semaphore) else {
        return real!(sem_trywait(semaphore => Semaphore) -> c_int);
    };
    rt.point(rt.op(OpKind::SemTryWait, object), pc);
    rt.use_object(object, pc);
    let there = rt.state().objects[object].count > 0;
    if there {
        return rt.take_one(object, pc);
    }
    rt.note(|| Note::Tried(false));
    rt.touch_class(object, Access::Read);
    rt.yields();
    fails(libc::EAGAIN)
}

extern "C-unwind" fn timed_wait(semaphore: Semaphore, time: Time, pc: usize) -> c_int {
    match entered(semaphore) {
        Some((rt, object)) => rt.sem_wait_until(object, deadline_of(time, libc::CLOCK_REALTIME), pc),
        None => real!(sem_timedwait(semaphore => Semaphore, time => Time) -> c_int),
    }
}

extern "C-unwind" fn clock_wait(semaphore: Semaphore, clock: c_int, time: Time, pc: usize) -> c_int {
    match entered(semaphore) {
        Some((rt, object)) => rt.sem_wait_until(object, deadline_of(time, clock), pc),
        None => real!(sem_clockwait(semaphore => Semaphore, clock => c_int, time => Time) -> c_int),
    }
}

extern "C-unwind" fn post(semaphore: Semaphore, pc: usize) -> c_int {
    let Some((rt, object)) = entered(semaphore) else {
        return real!(sem_post(semaphore => Semaphore) -> c_int);
    };
    rt.point(rt.op(OpKind::SemPost, object), pc);
    rt.use_object(object, pc);
    let state = &mut rt.state().objects[object];
    let before = state.count;
    if before >= i32::MAX as u32 {
        return fails(libc::EOVERFLOW);
    }
    state.count += 1;
    rt.gets_on();
    rt.touch_class(object, Access::Write);
    // Who takes one comes after all who have given one; who gives one comes after nobody.
    rt.state().execution.release(number(object).0 as usize, Access::Read);
    rt.refresh(object);
    rt.note(|| Note::Changed(before.to_string(), (before + 1).to_string()));
    0
}

extern "C-unwind" fn value(semaphore: Semaphore, out: *mut c_int, pc: usize) -> c_int {
    let Some((rt, object)) = entered(semaphore) else {
        return real!(sem_getvalue(semaphore => Semaphore, out => *mut c_int) -> c_int);
    };
    rt.point(rt.op(OpKind::SemValue, object), pc);
    rt.use_object(object, pc);
    let value = rt.state().objects[object].count;
    rt.touch_class(object, Access::Read);
    rt.state().execution.acquire(number(object).0 as usize, Access::Write);
    rt.note(|| Note::Saw(value.to_string()));
    // SAFETY: the program's own.
    unsafe { *out = value as c_int };
    0
}

extern "C-unwind" fn open(
    name: *const c_char,
    flags: c_int,
    mode: c_uint,
    value: c_uint,
    _pc: usize,
) -> Semaphore {
    let Some(rt) = Rt::enter() else {
        return real!(sem_open(name => *const c_char, flags => c_int, mode => c_uint, value => c_uint) -> Semaphore);
    };
    // SAFETY: the program's own.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    rt.misuse(format!("opens the semaphore {name}, which other processes may use too: use sem_init"))
}
