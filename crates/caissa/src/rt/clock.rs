//! Virtual time, and waits that it can end.
//!
//! The clock and the timers are the core's (`Execution::now` and around it); here they get what programs see of them. The
//! clock is an object like others: [`Rt::now`] reads it, [`Rt::advance`] sets it, and classes know.
//!
//! [`Rt::wait_until`] is the one way to wait with a deadline, or without one and with a wake-up that may come for no
//! reason. The running task waits
//! - with `op` until another task enables it (`Execution::enable`, after `replace_pending` where it then wants something
//!   else); whoever makes the task want something else must also call `Execution::drop_timer`, as a notification does;
//! - with `expires` if its deadline comes first: free of charge once the clock shows it or nobody is enabled, else by a
//!   fault that is chosen when the wait begins;
//! - with `wakes`, by a fault that is chosen when the wait begins.
//!
//! It says which of the three the task went on with. That a task was enabled does not mean that what it waited for is still
//! or only now there: callers look. Going on is one step; what the caller does to its object is part of it. If the wait
//! has timed out the caller lets the clock jump with [`Rt::advance`]. Coming to wait with a deadline is a step of its own
//! before, since it reads the clock: callers make a point first, and then compute the deadline with [`Rt::deadline`].
//!
//! A task that waits with a deadline and does not go on at once has given its turn away: leaving it is no preemption, even
//! if it is enabled because its timeout may fire.

use std::time::Duration;

use caissa_core::class::Access;
use caissa_core::{Next, ObjectId, Op, OpKind};

use super::engine::changed;
use super::{Rt, Source};

/// What a task waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// What it does once another task has enabled it.
    pub(crate) op: Op,
    /// When it has waited long enough, on the virtual clock.
    pub(crate) deadline: Option<u64>,
    /// What it does then.
    pub(crate) expires: Op,
    /// What it does if it wakes for no reason; `None` if that cannot be.
    pub(crate) wakes: Option<Op>,
}

/// What a wait ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Another task has enabled the task.
    Enabled,
    /// The time has passed.
    TimedOut,
    /// Nothing.
    ForNoReason,
}

/// A task that reads the clock again and again and yields in between waits for time to pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Polling {
    /// It has yielded since it read the clock.
    yielded: bool,
    /// Readings with a yield before them.
    polls: u32,
}

/// So many polls of a task see the time as it is; each one after that lets time pass, twice as much as the one before.
const PATIENT_POLLS: u32 = 4;
/// The first time it is a microsecond.
const FIRST_PAUSE: u64 = 1_000;
/// After so many it is more than 19 hours, and grows no more.
const LAST_DOUBLING: u32 = 36;

impl Polling {
    pub(super) fn yields(&mut self) {
        self.yielded = true;
    }

    /// The clock is read. How much time has to pass before?
    fn read(&mut self) -> Option<u64> {
        self.polls += std::mem::take(&mut self.yielded) as u32;
        let doublings = self.polls.checked_sub(PATIENT_POLLS + 1)?;
        Some(FIRST_PAUSE << doublings.min(LAST_DOUBLING))
    }
}

impl Rt {
    /// The program asks for the time. Time passes if it does so in a loop that yields, or the loop might have no end.
    pub(crate) fn look_at_clock(self) -> u64 {
        let engine = self.engine();
        if engine.execution.is_fair()
            && let Some(pause) = engine.tasks[engine.running.index()].polling.read()
        {
            let now = engine.execution.now();
            self.advance(now.saturating_add(pause));
        }
        self.now()
    }

    /// What the clock shows; the running task has read it.
    pub(crate) fn now(self) -> u64 {
        self.touch_clock(Access::Read);
        self.engine().execution.now()
    }

    /// When this time from now will have passed. The clock is read, so there must be a point before this and after whatever
    /// the task did before: what a join or a spawn is followed by must not depend on the clock (docs/soundness.md).
    pub(crate) fn deadline(self, timeout: Duration) -> u64 {
        self.now().saturating_add(nanoseconds(timeout))
    }

    /// Lets time pass until the clock shows at least `deadline`.
    pub(crate) fn advance(self, deadline: u64) {
        let before = self.engine().execution.now();
        let advanced = self.engine().execution.advance_clock(deadline);
        self.touch_clock(if advanced { Access::Write } else { Access::Read });
        if advanced {
            let shown = |time| Duration::from_nanos(time);
            self.note(|| changed(shown(before), shown(deadline)));
        }
    }

    fn touch_clock(self, access: Access) {
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let task = engine.execution.current();
            engine.execution.past_mut(task).touch(&mut engine.clock_past, access);
        }
    }

    /// The running task waits. See the head of this module.
    #[inline(never)]
    pub(crate) fn wait_until(self, wait: Wait, source: Source) -> Ended {
        let Wait { op, deadline, expires, wakes } = wait;
        if std::thread::panicking() {
            // No other task runs, or only to be unwound: nothing comes before the deadline.
            if deadline.is_some() {
                return Ended::TimedOut;
            }
            self.block(op, source);
            return Ended::Enabled;
        }
        self.throw_if_aborting();
        let me = self.current();
        let fault = |kind| self.fault(Op::new(kind, ObjectId(me.0)), source);
        let is_due = |deadline| deadline <= self.engine().execution.now();
        let at_once = if deadline.is_some_and(|deadline| !is_due(deadline)) && fault(OpKind::MayTimeOut) {
            Some(expires)
        } else {
            wakes.filter(|_| fault(OpKind::MayWake))
        };
        if deadline.is_some() {
            self.yields();
        }
        let watched = self.observe();
        let execution = &mut self.engine().execution;
        match at_once {
            _ if !watched => self.proceed(Next::End, op),
            Some(now) => {
                let next = execution.wait_enabled(now, source.into());
                self.proceed(next, now);
            }
            None => {
                let next = execution.wait(op, deadline, expires, source.into());
                self.proceed(next, op);
            }
        }
        if op.kind.can_block() {
            // It does not go on with the operation that it waited with, unless it was enabled.
            self.engine().objects[op.object.0 as usize].waiting.remove(me);
        }
        let execution = &mut self.engine().execution;
        execution.drop_timer(me);
        let kind = execution.pending(me).0.kind;
        if kind == expires.kind {
            Ended::TimedOut
        } else if wakes.is_some_and(|wakes| kind == wakes.kind) {
            Ended::ForNoReason
        } else {
            Ended::Enabled
        }
    }
}

/// A duration on the virtual clock; more than 584 years are as good as for ever.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
