//! Virtual time: what clocks show inside an execution, and who waits for it to pass.
//!
//! Time is a number of nanoseconds that begins at 0 and does not pass by itself. It jumps to a deadline when the timeout or
//! the sleep that has this deadline takes effect, never back. A task that waits for something with a deadline has a
//! *timer*. A timer is *due* when the clock shows its deadline or more; its task is enabled from then on, with the
//! operation that the timer names. When no task is enabled the timers with the earliest deadline become due, all of them;
//! so they do when all tasks that are enabled have yielded to time (`fair.rs`).
//!
//! The clock here knows nothing of classes: reading and setting it are accesses of an object that the front end keeps.

use alloc::vec::Vec;

use super::{Execution, Next, Source};
use crate::op::Op;
use crate::task::TaskId;

/// A task that waits for a deadline at the latest.
#[derive(Clone, Copy, Debug)]
struct Timer {
    deadline: u64,
    task: TaskId,
    /// What the task does if it gets no further before.
    due: Op,
}

/// The clock of an execution, and its timers: at most one for each task, none of them due.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    now: u64,
    timers: Vec<Timer>,
}

impl Clock {
    /// A new execution begins.
    pub(super) fn reset(&mut self) {
        self.now = 0;
        self.timers.clear();
    }
}

impl Execution {
    /// What the clock shows, in nanoseconds.
    #[inline]
    pub fn now(&self) -> u64 {
        self.clock.now
    }

    /// Lets time pass until the clock shows at least this. True if it did not before.
    pub fn advance_clock(&mut self, time: u64) -> bool {
        if time <= self.clock.now {
            return false;
        }
        self.clock.now = time;
        self.fair.tick();
        self.fire(time);
        true
    }

    /// The running task announces that it waits: with `op` until somebody enables it, and with `due` if its deadline passes
    /// first. It goes on with `due` at once if its deadline has passed.
    ///
    /// A task that waits has given its turn away, so going on with another one is no preemption, even if it is enabled.
    pub fn wait(&mut self, op: Op, deadline: Option<u64>, due: Op, source: Source) -> Next {
        match deadline {
            Some(deadline) if deadline <= self.clock.now => self.wait_enabled(due, source),
            Some(deadline) => {
                self.clock.timers.push(Timer { deadline, task: self.current, due });
                self.block(op, source)
            }
            None => self.block(op, source),
        }
    }

    /// The running task announces that it waits with an operation that could take effect now.
    pub fn wait_enabled(&mut self, op: Op, source: Source) -> Next {
        self.announce(op, source, true, false)
    }

    /// A task does not wait for its deadline any more.
    pub fn drop_timer(&mut self, task: TaskId) {
        self.clock.timers.retain(|timer| timer.task != task);
    }

    /// A task that waits has another deadline from now on, or none.
    pub fn set_timer(&mut self, task: TaskId, deadline: Option<u64>, due: Op) {
        self.drop_timer(task);
        match deadline {
            Some(deadline) if deadline <= self.clock.now => {
                self.replace_pending(task, due);
                self.enable(task);
            }
            Some(deadline) => self.clock.timers.push(Timer { deadline, task, due }),
            None => {}
        }
    }

    /// Whether some task waits for its deadline.
    pub(crate) fn has_timers(&self) -> bool {
        !self.clock.timers.is_empty()
    }

    /// Nobody is enabled, or nobody who makes progress: the earliest timers become due. False if there are none.
    #[cold]
    pub(super) fn fire_earliest(&mut self) -> bool {
        let earliest = self.clock.timers.iter().map(|timer| timer.deadline).min();
        earliest.is_some_and(|earliest| {
            self.fair.tick();
            self.fire(earliest);
            true
        })
    }

    /// Timers up to this deadline are due.
    fn fire(&mut self, deadline: u64) {
        let mut index = 0;
        while let Some(&timer) = self.clock.timers.get(index) {
            if timer.deadline > deadline {
                index += 1;
                continue;
            }
            self.clock.timers.remove(index);
            self.replace_pending(timer.task, timer.due);
            self.enable(timer.task);
        }
    }
}
