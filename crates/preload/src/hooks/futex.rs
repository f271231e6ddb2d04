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

/// The mask of those who do not give one.
const ALL: u32 = u32::MAX;

/// How long a task waits at a futex, and for whom.
struct Until {
    /// When it has waited long enough, or for how long it waits.
    time: Option<u64>,
    relative: bool,
    mask: u32,
}

/// What the program asks a futex for.
pub(super) fn futex(rt: &Rt, arguments: Arguments, pc: usize) -> c_int {
    let [address, operation, value, time, other, mask] = arguments;
    let command = operation as c_int & libc::FUTEX_CMD_MASK;
    let object = rt.object(ObjectKind::Futex, address);
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            let clock = if operation as c_int & libc::FUTEX_CLOCK_REALTIME != 0 {
                libc::CLOCK_REALTIME
            } else {
                libc::CLOCK_MONOTONIC
            };
            let relative = command == libc::FUTEX_WAIT;
            let deadline = match time {
                0 => None,
                time if relative => {
                    // SAFETY: the program's own.
                    let time = unsafe { *(time as *const libc::timespec) };
                    Some(time.tv_sec.max(0) as u64 * 1_000_000_000 + time.tv_nsec as u64)
                }
                time => deadline_of(time as *const libc::timespec, clock),
            };
            let mask = if command == libc::FUTEX_WAIT { ALL } else { mask as u32 };
            rt.futex_wait(
                object,
                address as *const u32,
                value as u32,
                Until { time: deadline, relative, mask },
                pc,
            )
        }
        libc::FUTEX_WAKE => rt.futex_wake(object, value, ALL, pc),
        libc::FUTEX_WAKE_BITSET => rt.futex_wake(object, value, mask as u32, pc),
        // SAFETY: the program's own.
        libc::FUTEX_CMP_REQUEUE if unsafe { *(address as *const u32) } != mask as u32 => {
            rt.point(rt.op(OpKind::FutexWake, object), pc);
            rt.touch_class(object, Access::Write);
            fails(libc::EAGAIN)
        }
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
            // Who would be moved to the other futex wakes instead, as it may for no reason.
            rt.futex_wake(object, value.saturating_add(time).max(other.min(1)), ALL, pc)
        }
        _ => rt.misuse(format!("uses futex command {command}, which we cannot control")),
    }
}

impl Rt {
    fn futex_wait(&self, object: usize, address: *const u32, value: u32, until: Until, pc: usize) -> c_int {
        let kind = if until.time.is_some() { OpKind::FutexWaitUntil } else { OpKind::FutexWait };
        self.point(self.op(kind, object), pc);
        // SAFETY: the program's own.
        let found = unsafe { address.read_volatile() };
        self.touch_class(object, Access::Write);
        // What it finds there was written before.
        let word = self.object(ObjectKind::Atomic, address as usize);
        self.touch_class(word, Access::Read);
        if found != value {
            self.note(|| Note::Refused { found: found.to_string(), expected: value.to_string() });
            return fails(libc::EAGAIN);
        }
        let deadline = match until.time {
            Some(length) if until.relative => Some(self.now().saturating_add(length)),
            deadline => deadline,
        };
        let me = self.me();
        self.task().futex_mask = until.mask;
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

    /// Wakes so many of those whose masks have a bit of this one.
    fn futex_wake(&self, object: usize, most: usize, mask: u32, pc: usize) -> c_int {
        self.point(self.op(OpKind::FutexWake, object), pc);
        self.touch_class(object, Access::Write);
        self.state().execution.release(number(object).0 as usize, Access::Write);
        let step = self.state().execution.steps().saturating_sub(1);
        let mut woken: Vec<TaskId> = Vec::new();
        while woken.len() < most {
            let state = self.state();
            let queue = &state.objects[object].queue;
            let meant = queue.iter().filter(|task| state.tasks[task.index()].futex_mask & mask != 0);
            let meant: Vec<TaskId> = meant.copied().collect();
            if meant.is_empty() {
                break;
            }
            let all = most - woken.len() >= meant.len();
            let chosen = meant[if all { 0 } else { self.choose(meant.len() as u32, pc) as usize }];
            self.state().objects[object].queue.retain(|&task| task != chosen);
            woken.push(chosen);
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
