//! Fairness while an execution runs: who may be scheduled at a point ([`Fairness`](crate::fair::Fairness)).
//!
//! Nothing is done before the first yield. From then on every decision takes part. Points may still be passed on fuel: a task that
//! goes on without yielding changes nothing, as long as no other one becomes enabled or disabled.

use super::Execution;
use crate::task::TaskSet;

impl Execution {
    /// The step that the running task takes is a yield: by it the task says that it makes no progress by itself.
    #[inline]
    pub fn yields(&mut self) {
        if self.fair.k() > 0 {
            self.attend();
        } else if self.recorder.is_some() {
            self.record_yield();
        }
    }

    /// The running task has yielded, but it has got further since it did before: it does not go round.
    pub fn moves_on(&mut self) {
        self.moved_on = true;
    }

    #[cold]
    fn record_yield(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.mark_yield();
        }
    }

    #[cold]
    fn attend(&mut self) {
        self.settle();
        self.yielded = true;
        self.pay_attention();
        self.any_yield = true;
        self.record_yield();
        self.leave_nothing_out();
    }

    /// Whether yields count.
    #[inline]
    pub fn is_fair(&self) -> bool {
        self.fair.k() > 0
    }

    /// The running task has taken its step: who may be scheduled now? Kept out of the way of executions in which nobody yields.
    #[inline(never)]
    pub(super) fn follow_fairness(&mut self) {
        let yielded = core::mem::take(&mut self.yielded);
        if yielded {
            self.call_reserve();
        }
        let timed = self.has_timers();
        self.fair.step(self.current, yielded, &self.enabled_before, &self.enabled, timed);
        if timed && self.fair.must_tick(&self.enabled) {
            self.fire_earliest();
        }
        self.filtered = self.fair.schedulable(&self.enabled, &mut self.schedulable);
        if yielded && !core::mem::take(&mut self.moved_on) {
            self.look_for_window();
        }
    }

    /// The enabled tasks that may be scheduled.
    #[inline]
    pub(super) fn options(&self) -> &TaskSet {
        if self.filtered { &self.schedulable } else { &self.enabled }
    }
}
