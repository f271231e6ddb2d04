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
        }
    }

    #[cold]
    fn attend(&mut self) {
        self.settle();
        self.yielded = true;
        self.attentive = true;
        self.any_yield = true;
        if let Some(recorder) = &mut self.recorder {
            recorder.mark_yield();
        }
        // From here on nothing is left out.
        self.walk.skip.clear();
        self.walk.only_joined = false;
    }

    /// Whether yields count.
    #[inline]
    pub fn is_fair(&self) -> bool {
        self.fair.k() > 0
    }

    /// The running task has taken its step. True if that was all that has to be known of it: nobody stands below another, and
    /// this has not changed.
    #[inline]
    pub(super) fn follow_quiet_step(&mut self) -> bool {
        let quiet = !(self.close || self.yielded || self.fair.is_ordered() || self.has_timers());
        if quiet {
            self.fair.step(self.current, false, &self.enabled_before, &self.enabled, false);
        }
        quiet
    }

    /// The running task has taken its step: who may be scheduled now?
    #[inline]
    pub(super) fn follow_fairness(&mut self) {
        let yielded = core::mem::take(&mut self.yielded);
        let timed = self.has_timers();
        self.fair.step(self.current, yielded, &self.enabled_before, &self.enabled, timed);
        if timed && self.fair.must_tick(&self.enabled) {
            self.fire_earliest();
        }
        self.filtered = self.fair.schedulable(&self.enabled, &mut self.schedulable);
        if yielded {
            self.look_for_window();
        }
    }

    /// The enabled tasks that may be scheduled.
    #[inline]
    pub(super) fn options(&self) -> &TaskSet {
        if self.filtered { &self.schedulable } else { &self.enabled }
    }
}
