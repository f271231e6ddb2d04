//! Virtual time, and waits that it can end.
//!
//! As in the library (docs/semantics.md): time passes by timeouts and sleeps only. A wait with a deadline ends free of charge when nobody else can run,
//! earlier by a fault.

use std::time::Duration;

use caissa_core::class::Access;
use caissa_core::{Next, Op, OpKind};

use crate::rt::Rt;
use crate::spin::Stop;

/// What a task waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// What it does once another task has enabled it.
    pub(crate) op: Op,
    /// When it has waited long enough.
    pub(crate) deadline: Option<u64>,
    /// What it does then.
    pub(crate) expires: Op,
    /// What it does if it wakes for no reason; `None` if that cannot be.
    pub(crate) wakes: Option<Op>,
    /// The object whose state decides whether it can go on with `op`, if that is what decides.
    pub(crate) on: Option<usize>,
}

/// What a wait ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Enabled,
    TimedOut,
    ForNoReason,
}

/// A task that reads the clock again and again and yields in between waits for time to pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Polling {
    yielded: bool,
    polls: u32,
}

/// So many readings see the time as it is; each one after that lets time pass, twice as much as the one before.
const PATIENT_POLLS: u32 = 4;
const FIRST_PAUSE: u64 = 1_000;
const LAST_DOUBLING: u32 = 36;

/// Nobody is woken as soon as the time has come. Tests of Rust count on it: of two timers that were set one after the other both have run out then. As long as Linux
/// takes the liberty of, in nanoseconds.
const SLACK: u64 = 50_000;

impl Polling {
    pub(crate) fn yields(&mut self) {
        self.yielded = true;
    }

    /// How much time has to pass before the clock is read.
    fn read(&mut self) -> Option<u64> {
        self.polls += std::mem::take(&mut self.yielded) as u32;
        let doublings = self.polls.checked_sub(PATIENT_POLLS + 1)?;
        Some(FIRST_PAUSE << doublings.min(LAST_DOUBLING))
    }
}

impl Rt {
    /// The program asks for the time.
    pub(crate) fn look_at_clock(&self) -> u64 {
        if self.state().execution.is_fair()
            && let Some(pause) = self.task().polling.read()
        {
            let now = self.state().execution.now();
            self.advance(now.saturating_add(pause));
        }
        self.now()
    }

    /// What the clock shows; the running task has read it.
    pub(crate) fn now(&self) -> u64 {
        self.touch_clock(Access::Read);
        self.state().execution.now()
    }

    /// The clock is an object like others, as far as classes are concerned.
    fn touch_clock(&self, access: Access) {
        let state = self.state();
        if state.execution.counts_classes() {
            let task = state.running;
            state.execution.past_mut(task).touch(&mut state.clock_past, access);
        }
    }

    /// Lets time pass until the clock shows at least this.
    pub(crate) fn advance(&self, deadline: u64) {
        let late = if self.state().code.of_rust { SLACK } else { 0 };
        let deadline = deadline.saturating_add(late);
        let before = self.state().execution.now();
        let advanced = self.state().execution.advance_clock(deadline);
        self.touch_clock(if advanced { Access::Write } else { Access::Read });
        if advanced {
            let shown = |time| format!("{:?}", Duration::from_nanos(time));
            self.note(|| caissa_core::Note::Changed(shown(before), shown(deadline)));
            if !self.state().timers.is_empty() {
                self.let_timers_go_off();
                self.refresh_files();
            }
        }
    }

    /// The running task sleeps until this time.
    pub(crate) fn sleep(&self, time: u64, absolute: bool, pc: usize) {
        let stop = Stop::at(pc);
        self.point(self.own_op(OpKind::Sleep), pc);
        self.goes_round(stop);
        self.exit_if_cancelled();
        let now = self.now();
        let deadline = if absolute { time } else { now.saturating_add(time) };
        self.yields();
        if deadline > now {
            if self.state().code.of_rust {
                self.sleep_until(deadline, pc);
            } else {
                self.point(self.own_op(OpKind::WakeUp), pc);
            }
            self.advance(deadline);
        }
        self.exit_if_cancelled();
    }

    /// The running task sleeps as long as others can go on: tests count on it, whatever the system promises. Else it takes a fault.
    fn sleep_until(&self, deadline: u64, pc: usize) {
        let wakes = self.own_op(OpKind::WakeUp);
        let wait = Wait { op: wakes, deadline: Some(deadline), expires: wakes, wakes: None, on: None };
        self.wait_until(wait, pc);
    }

    /// The running task waits: see the library's module of the same purpose.
    pub(crate) fn wait_until(&self, wait: Wait, pc: usize) -> Ended {
        let Wait { op, deadline, expires, wakes, on } = wait;
        let me = self.me();
        let fault = |kind| self.fault(self.own_op(kind), pc);
        let is_due = |deadline| deadline <= self.state().execution.now();
        let at_once = if deadline.is_some_and(|deadline| !is_due(deadline)) && fault(OpKind::MayTimeOut) {
            Some(expires)
        } else {
            wakes.filter(|_| fault(OpKind::MayWake))
        };
        if deadline.is_some() {
            self.yields();
        }
        let with = at_once.unwrap_or(op);
        self.follow(with, pc);
        self.beat();
        self.look_at_files(deadline.is_none() && at_once.is_none());
        let (source, digest) = (self.source(pc), self.digest());
        let execution = &mut self.state().execution;
        execution.set_digest(digest);
        let next: Next = match at_once {
            Some(now) => execution.wait_enabled(now, source),
            None => execution.wait(op, deadline, expires, source),
        };
        if let Some(object) = on {
            self.state().objects[object].waiting.insert(me);
        }
        self.proceed(next, with);
        let state = self.state();
        if let Some(object) = on {
            state.objects[object].waiting.remove(me);
        }
        state.execution.drop_timer(me);
        let kind = state.execution.pending(me).0.kind;
        if kind == expires.kind {
            Ended::TimedOut
        } else if wakes.is_some_and(|wakes| kind == wakes.kind) {
            Ended::ForNoReason
        } else {
            Ended::Enabled
        }
    }
}
