//! How many steps executions are given, where that is not said: programs that do very much are not known from those that never end.

use std::time::{Duration, Instant};

use caissa_core::Job;
use caissa_search::Subject as _;

use super::Check;
use crate::front_end::FrontEnd;

/// It is tried with so many times as many steps, again and again.
const TIMES: u32 = 5;
/// Of the time that is left, a part may go into the next try: half of it.
const PART: u32 = 2;

impl<F: FrontEnd> Check<F> {
    /// Whether more steps may be tried than the limit.
    pub(super) fn may_grow(&self) -> bool {
        self.settings.max_steps_grown.is_some_and(|most| most > self.settings.max_steps)
    }

    /// Lets the limit of steps grow until the first execution comes to its end. If that would be too much, or take too long, it stays as it is: of a program that has no
    /// end, many short executions tell more than a few long ones.
    pub(super) fn grow_steps(&mut self) {
        let tried = self.on_subject(|subject| self.enough_steps(subject));
        let grown = tried.unwrap_or_else(|_| {
            self.front.forgive();
            None
        });
        self.settings.max_steps_grown = None;
        self.settings.max_steps = grown.unwrap_or(self.settings.max_steps);
    }

    fn enough_steps(&self, subject: &mut F::Subject) -> Option<u32> {
        let most = self.settings.max_steps_grown?;
        let mut steps = self.settings.max_steps;
        let single = self.settings.single(Vec::new(), self.settings.guide());
        let mut job = Job { trace: false, ..single };
        let mut took = Duration::ZERO;
        while steps < most && !self.is_too_long(took * TIMES) {
            steps = steps.saturating_mul(TIMES).min(most);
            job.limit.steps = steps;
            let begun = Instant::now();
            let outcome = subject.run(&job);
            if !subject.can_go_on() {
                return None;
            }
            if outcome.step_limited == 0 {
                return outcome.failure.is_none().then_some(steps);
            }
            took = begun.elapsed();
        }
        None
    }

    fn is_too_long(&self, time: Duration) -> bool {
        let left = self.settings.time.map(|all| all.saturating_sub(self.started.elapsed()));
        left.is_some_and(|left| time > left / PART)
    }
}
