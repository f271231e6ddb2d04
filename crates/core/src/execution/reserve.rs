//! A task in reserve: it goes on only if no other one can.
//!
//! A harness that starts a test on a thread of its own and waits for its end is part of every execution, but no schedule of it says anything of the
//! test. What it does is no point, unless it waits; and then it is not among the enabled tasks, whether it could go on or not, so that nobody has to decide
//! about it. It comes back when nobody else is enabled, before time passes: when it goes on, the program is about to end. A task that yields lets it come
//! back too: threads that a test has left behind may go on for ever, as long as somebody goes on beside them.

use super::Execution;
use crate::task::TaskId;

/// A task in reserve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserve {
    task: TaskId,
    /// It could go on, and is held back.
    ready: bool,
}

impl Execution {
    /// In this execution the task goes on only if no other one can. It announces nothing but that it waits.
    pub fn keep_in_reserve(&mut self, task: TaskId) {
        self.settle();
        self.fast = false;
        self.reserve = Some(Reserve { task, ready: false });
    }

    /// Whether the running task is the one in reserve.
    #[inline]
    pub fn is_in_reserve(&self) -> bool {
        self.reserve.is_some_and(|reserve| reserve.task == self.current)
    }

    /// The task in reserve gives its turn away, although it could go on: it is left to others, if there are any.
    #[inline]
    pub(super) fn step_back(&mut self) {
        if let Some(reserve) = &mut self.reserve
            && reserve.task == self.current
            && self.enabled.contains(self.current)
            && !self.enabled.is_only(self.current)
        {
            self.enabled.remove(self.current);
            reserve.ready = true;
        }
    }

    /// Whether a task that can go on now, or cannot any more, is held back.
    #[inline]
    pub(super) fn hold_back(&mut self, task: TaskId, ready: bool) -> bool {
        match &mut self.reserve {
            Some(reserve) if reserve.task == task && !self.enabled.contains(task) => {
                reserve.ready = ready;
                true
            }
            _ => false,
        }
    }

    /// Nobody else is enabled, or somebody has yielded: the task in reserve is enabled if it is ready. False if it is not.
    #[cold]
    pub(super) fn call_reserve(&mut self) -> bool {
        match &mut self.reserve {
            Some(reserve) if reserve.ready => {
                reserve.ready = false;
                let task = reserve.task;
                self.enabled.insert(task)
            }
            _ => false,
        }
    }
}
