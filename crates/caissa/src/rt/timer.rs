//! Timers of async tasks, on virtual time.
//!
//! A task may wait for any number of timers and for other things at once. Its wait has the deadline of the earliest
//! ([`Rt::wait_until`]): it passes for nothing when nobody else is enabled, the earliest of all tasks first, and else by a fault. The
//! step in which it does lets the clock jump there, and wakes whatever waits for timers of this task that are due by then.

use std::task::Waker;

use caissa_core::{ObjectId, Op, OpKind, TaskId};

use super::{Rt, Source};

/// Timers of an execution that have not fired.
#[derive(Default)]
pub(crate) struct Timers {
    pending: Vec<Timer>,
    next: u64,
}

struct Timer {
    ticket: u64,
    deadline: u64,
    /// The task that polled it last.
    task: TaskId,
    waker: Waker,
}

impl Timers {
    pub(super) fn clear(&mut self) {
        self.pending.clear();
    }

    /// The earliest deadline of a task.
    pub(super) fn first(&self, task: TaskId) -> Option<u64> {
        self.pending.iter().filter(|timer| timer.task == task).map(|timer| timer.deadline).min()
    }

    fn remove(&mut self, ticket: u64) -> Option<Waker> {
        let index = self.pending.iter().position(|timer| timer.ticket == ticket)?;
        Some(self.pending.remove(index).waker)
    }
}

impl Rt {
    /// Whether a deadline has passed; if not, `waker` is woken when it has. `ticket`: names the timer, once it has been set.
    pub(crate) fn poll_timer(
        self,
        deadline: u64,
        ticket: &mut Option<u64>,
        waker: &Waker,
        source: Source,
    ) -> bool {
        self.point(Op::new(OpKind::PollTimer, ObjectId(self.current().0)), source);
        let passed = deadline <= self.now();
        self.note(|| caissa_core::Note::Tried(passed));
        self.drop_timer(ticket);
        if !passed {
            let waker = waker.clone();
            let engine = self.engine();
            let task = engine.running;
            let timers = &mut engine.wakings.timers;
            timers.next += 1;
            timers.pending.push(Timer { ticket: timers.next, deadline, task, waker });
            *ticket = Some(timers.next);
        }
        passed
    }

    /// Nobody waits for a timer any more.
    pub(crate) fn drop_timer(self, ticket: &mut Option<u64>) {
        if let Some(ticket) = ticket.take() {
            let waker = self.engine().wakings.timers.remove(ticket);
            drop(waker);
        }
    }

    /// The running task has waited until `deadline`.
    pub(super) fn fire_timers(self, deadline: u64) {
        self.advance(deadline);
        let engine = self.engine();
        let me = engine.running;
        let now = engine.execution.now();
        let due =
            engine.wakings.timers.pending.extract_if(.., |timer| timer.task == me && timer.deadline <= now);
        let wakers: Vec<Waker> = due.map(|timer| timer.waker).collect();
        self.wake_within_step(wakers);
    }
}
