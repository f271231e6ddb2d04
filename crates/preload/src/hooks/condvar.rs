//! Condition variables. Which waiter a signal wakes is a choice; that one wakes for no reason is a fault.

use std::ffi::{c_int, c_void};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, Op, OpKind, TaskId};

use super::stubs;
use super::time::deadline_of;
use crate::memory::How;
use crate::object::Flavour;
use crate::real::real;
use crate::rt::{Rt, number};
use crate::wait::{Ended, Wait};

type Condvar = *mut libc::pthread_cond_t;
type Mutex = *mut libc::pthread_mutex_t;
type Time = *const libc::timespec;

stubs! {
    pthread_cond_init/2 => init,
    pthread_cond_destroy/1 => destroy,
    pthread_cond_wait/2 => wait,
    pthread_cond_timedwait/3 => timed_wait,
    pthread_cond_clockwait/4 => clock_wait,
    pthread_cond_signal/1 => signal,
    pthread_cond_broadcast/1 => broadcast,
}

/// Where the clock lies that deadlines are of, as libc has it, and its bit.
const FLAGS: usize = 36;
const MONOTONIC: u32 = 2;

fn entered(condvar: Condvar) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.native_object(ObjectKind::Condvar, condvar as usize);
    Some((rt, object))
}

impl Rt {
    /// Releases a mutex and waits, in one step; then takes the mutex again. What `pthread_cond_wait` returns.
    fn wait_at(&self, condvar: usize, mutex: usize, deadline: Option<Option<u64>>, pc: usize) -> c_int {
        let deadline = match deadline {
            Some(None) => return libc::EINVAL,
            Some(Some(deadline)) => Some(deadline),
            None => None,
        };
        let me = self.me();
        let kind = if deadline.is_some() { OpKind::WaitUntil } else { OpKind::Wait };
        self.point(self.op(kind, condvar), pc);
        self.use_object(condvar, pc);
        self.use_object(mutex, pc);
        self.exit_if_cancelled();
        let count = self.state().objects[mutex].count;
        if self.state().objects[mutex].holder != Some(me) {
            if self.state().objects[mutex].flavour == Flavour::ErrorCheck {
                return libc::EPERM;
            }
            self.fail("bad-unlock", "waits with a mutex that it has not locked".to_owned(), pc);
        }
        self.note(|| Note::Releases(number(mutex)));
        self.state().objects[condvar].queue.push(me);
        self.task().wants = mutex;
        if count > 1 {
            // It is unlocked once: the task still holds it.
            self.state().objects[mutex].count -= 1;
        } else {
            self.release(mutex);
        }
        self.touch_class(condvar, Access::Write);
        let op = |kind| self.op(kind, condvar);
        let wait = Wait {
            op: op(kind),
            deadline,
            expires: op(OpKind::WaitExpires),
            wakes: Some(op(OpKind::WaitWakes)),
            on: None,
        };
        let ended = self.wait_until(wait, pc);
        let cancelled = self.state().execution.pending(me).0.kind == OpKind::Cancel;
        if ended != Ended::Enabled || cancelled {
            self.state().objects[condvar].queue.retain(|&waiter| waiter != me);
            self.touch_class(condvar, Access::Write);
            if let (Ended::TimedOut, Some(deadline)) = (ended, deadline) {
                self.advance(deadline);
            }
            self.point_on(self.op(OpKind::Relock, mutex), pc);
        } else {
            self.absorb_wake();
        }
        self.use_object(mutex, pc);
        let error = self.taken(mutex);
        self.state().objects[mutex].count = count;
        if cancelled {
            self.exit_if_cancelled();
        }
        match (error, ended) {
            (0, Ended::TimedOut) => libc::ETIMEDOUT,
            (error, _) => error,
        }
    }

    fn notify(&self, condvar: usize, kind: OpKind, pc: usize) -> c_int {
        self.point(self.op(kind, condvar), pc);
        self.use_object(condvar, pc);
        self.touch_class(condvar, Access::Write);
        let step = self.state().execution.steps().saturating_sub(1);
        let waiters = self.state().objects[condvar].queue.len();
        let woken = match (kind, waiters) {
            (_, 0) => Vec::new(),
            (OpKind::NotifyOne, _) => {
                let chosen = if waiters == 1 { 0 } else { self.choose(waiters as u32, pc) as usize };
                vec![self.state().objects[condvar].queue.remove(chosen)]
            }
            _ => std::mem::take(&mut self.state().objects[condvar].queue),
        };
        for &task in &woken {
            self.woke(task, condvar);
            self.wake_waiter(task);
        }
        self.state().execution.note_at(step, || Note::Woke(woken));
        0
    }

    /// A waiter now waits for its mutex.
    fn wake_waiter(&self, task: TaskId) {
        let state = self.state();
        state.execution.drop_timer(task);
        let mutex = state.tasks[task.index()].wants;
        state.execution.replace_pending(task, Op::new(OpKind::Relock, number(mutex)));
        state.objects[mutex].waiting.insert(task);
        self.refresh(mutex);
    }
}

pub(super) extern "C-unwind" fn init(condvar: Condvar, attributes: *const c_void, pc: usize) -> c_int {
    let result =
        real!(pthread_cond_init @ "GLIBC_2.3.2" (condvar => Condvar, attributes => *const c_void) -> c_int);
    if let Some(rt) = Rt::enter() {
        rt.access(condvar as usize, size_of::<libc::pthread_cond_t>(), How::Write, pc);
        let object = rt.object(ObjectKind::Condvar, condvar as usize);
        rt.state().objects[object].renew();
    }
    result
}

pub(super) extern "C-unwind" fn destroy(condvar: Condvar, pc: usize) -> c_int {
    let Some((rt, object)) = entered(condvar) else {
        return real!(pthread_cond_destroy @ "GLIBC_2.3.2" (condvar => Condvar) -> c_int);
    };
    rt.use_object(object, pc);
    rt.access(condvar as usize, size_of::<libc::pthread_cond_t>(), How::Write, pc);
    if let Some(&waiter) = rt.state().objects[object].queue.first() {
        rt.fail("destroyed", format!("destroys a condition variable at which {waiter} waits"), pc);
    }
    rt.mark_destroyed(object);
    0
}

pub(super) extern "C-unwind" fn wait(condvar: Condvar, mutex: Mutex, pc: usize) -> c_int {
    let Some((rt, object)) = entered(condvar) else {
        return real!(pthread_cond_wait @ "GLIBC_2.3.2" (condvar => Condvar, mutex => Mutex) -> c_int);
    };
    let mutex = super::mutex::of_condvar(&rt, mutex);
    rt.wait_at(object, mutex, None, pc)
}

pub(super) extern "C-unwind" fn timed_wait(condvar: Condvar, mutex: Mutex, time: Time, pc: usize) -> c_int {
    let Some((rt, object)) = entered(condvar) else {
        return real!(pthread_cond_timedwait @ "GLIBC_2.3.2" (condvar => Condvar, mutex => Mutex, time => Time) -> c_int);
    };
    let mutex = super::mutex::of_condvar(&rt, mutex);
    // SAFETY: the program's own.
    let flags = unsafe { *condvar.byte_add(FLAGS).cast::<u32>() };
    let clock = if flags & MONOTONIC != 0 { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
    rt.wait_at(object, mutex, Some(deadline_of(time, clock)), pc)
}

extern "C-unwind" fn clock_wait(
    condvar: Condvar,
    mutex: Mutex,
    clock: c_int,
    time: Time,
    pc: usize,
) -> c_int {
    let Some((rt, object)) = entered(condvar) else {
        return real!(pthread_cond_clockwait(condvar => Condvar, mutex => Mutex, clock => c_int, time => Time) -> c_int);
    };
    let mutex = super::mutex::of_condvar(&rt, mutex);
    rt.wait_at(object, mutex, Some(deadline_of(time, clock)), pc)
}

pub(super) extern "C-unwind" fn signal(condvar: Condvar, pc: usize) -> c_int {
    match entered(condvar) {
        Some((rt, object)) => rt.notify(object, OpKind::NotifyOne, pc),
        None => real!(pthread_cond_signal @ "GLIBC_2.3.2" (condvar => Condvar) -> c_int),
    }
}

pub(super) extern "C-unwind" fn broadcast(condvar: Condvar, pc: usize) -> c_int {
    match entered(condvar) {
        Some((rt, object)) => rt.notify(object, OpKind::NotifyAll, pc),
        None => real!(pthread_cond_broadcast @ "GLIBC_2.3.2" (condvar => Condvar) -> c_int),
    }
}
