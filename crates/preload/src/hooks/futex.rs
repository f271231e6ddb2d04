//! Waiting and waking at a futex, which programs ask for by the number of the system call (`by_number`).

use std::ffi::c_int;

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, Op, OpKind, TaskId};

use super::fails;
use super::time::deadline_of;
use crate::rt::{Rt, number};
use crate::wait::{Ended, Wait};

/// The arguments of a system call.
pub(super) type Arguments = [usize; 6];

/// What the program asks a futex for.
pub(super) fn futex(rt: &Rt, arguments: Arguments, pc: usize) -> c_int {
    let [address, operation, value, time, other, _] = arguments;
    let command = operation as c_int & libc::FUTEX_CMD_MASK;
    let object = rt.object(ObjectKind::Futex, address);
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            let clock = if operation as c_int & libc::FUTEX_CLOCK_REALTIME != 0 {
                libc::CLOCK_REALTIME
            } else {
                libc::CLOCK_MONOTONIC
            };
            let deadline = match (time, command) {
                (0, _) => None,
                (time, libc::FUTEX_WAIT) => {
                    // SAFETY: the program's own.
                    let time = unsafe { *(time as *const libc::timespec) };
                    let length = time.tv_sec.max(0) as u64 * 1_000_000_000 + time.tv_nsec as u64;
                    Some(rt.now().saturating_add(length))
                }
                (time, _) => deadline_of(time as *const libc::timespec, clock),
            };
            rt.futex_wait(object, address as *const u32, value as u32, deadline, pc)
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => rt.futex_wake(object, value, pc),
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
            // Who would be moved to the other futex wakes instead, as it may for no reason.
            rt.futex_wake(object, value.saturating_add(time).max(other.min(1)), pc)
        }
        _ => rt.misuse(format!("uses futex command {command}, which we cannot control")),
    }
}

impl Rt {
    fn futex_wait(
        &self,
        object: usize,
        address: *const u32,
        value: u32,
        deadline: Option<u64>,
        pc: usize,
    ) -> c_int {
        let kind = if deadline.is_some() { OpKind::FutexWaitUntil } else { OpKind::FutexWait };
        self.point(self.op(kind, object), pc);
        // SAFETY: the program's own.
        let found = unsafe { address.read_volatile() };
        self.touch_class(object, Access::Write);
        if found != value {
            self.note(|| Note::Refused { found: found.to_string(), expected: value.to_string() });
            return fails(libc::EAGAIN);
        }
        let me = self.me();
        self.state().objects[object].queue.push(me);
        let op = |kind| self.op(kind, object);
        let wait = Wait {
            op: op(kind),
            deadline,
            expires: op(OpKind::FutexExpires),
            wakes: Some(op(OpKind::FutexWakes)),
            on: None,
        };
        let ended = self.wait_until(wait, pc);
        if ended == Ended::Enabled {
            self.absorb_wake();
            self.state().execution.acquire(number(object).0 as usize, Access::Write);
            return 0;
        }
        self.state().objects[object].queue.retain(|&waiter| waiter != me);
        self.touch_class(object, Access::Write);
        match (ended, deadline) {
            (Ended::TimedOut, Some(deadline)) => {
                self.advance(deadline);
                fails(libc::ETIMEDOUT)
            }
            _ => 0,
        }
    }

    fn futex_wake(&self, object: usize, most: usize, pc: usize) -> c_int {
        self.point(self.op(OpKind::FutexWake, object), pc);
        self.touch_class(object, Access::Write);
        self.state().execution.release(number(object).0 as usize, Access::Write);
        let step = self.state().execution.steps().saturating_sub(1);
        let mut woken: Vec<TaskId> = Vec::new();
        while woken.len() < most && !self.state().objects[object].queue.is_empty() {
            let waiters = self.state().objects[object].queue.len();
            let all = most - woken.len() >= waiters;
            let chosen = if all { 0 } else { self.choose(waiters as u32, pc) as usize };
            woken.push(self.state().objects[object].queue.remove(chosen));
        }
        woken.iter().for_each(|&task| self.woke(task, object));
        let state = self.state();
        for &task in &woken {
            state.execution.drop_timer(task);
            state.execution.replace_pending(task, Op::new(OpKind::FutexWoken, number(object)));
            state.execution.enable(task);
        }
        let count = woken.len() as c_int;
        state.execution.note_at(step, || Note::Woke(woken));
        count
    }
}
