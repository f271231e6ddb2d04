//! How many steps executions are given, where that is not said: programs that do very much are not known from those that never end.

use std::time::{Duration, Instant};

use caissa_core::{Failure, Job};
use caissa_search::{Finder, Subject as _};

use super::{Check, Spare};
use crate::front_end::FrontEnd;

/// It is tried with so many times as many steps, again and again.
const TIMES: u32 = 5;
/// With less it is not worth while.
const LEAST: u32 = 2;
/// With its trace an execution takes so many times as long.
const TRACED: u32 = 3;
/// A limit is too large if so many executions would take all the time that is left: two of them are looked at with their traces first, which may take half of it.
const EXECUTIONS: u32 = 4 * TRACED;

impl<F: FrontEnd> Check<F> {
    /// Whether more steps may be tried than the limit.
    pub(super) fn may_grow(&self) -> bool {
        self.settings.max_steps_grown.is_some_and(|most| most > self.settings.max_steps)
    }

    /// Lets the limit of steps grow until the first execution comes to its end, or fails. If that would be too much, or take too long, it stays as it is: of a program
    /// that has no end, many short executions tell more than a few long ones. `took`: the first execution as far as the limit, with its trace.
    /// Returns what the limit was, if it has grown. A failure is kept to `spare`: it may have taken so long that the search does not come to it again.
    pub(super) fn grow_steps(&mut self, took: Duration, spare: &mut Spare) -> Option<u32> {
        let tried = self.on_subject(|subject| self.enough_steps(subject, took));
        let grown = tried.unwrap_or_else(|_| {
            self.front.forgive();
            None
        });
        // What was tried is not to be shown.
        self.past.take_cut_off();
        self.settings.max_steps_grown = None;
        grown.map(|(steps, failure)| {
            let finder = Finder::Bounded { cost: self.settings.search.cost(), bound: 0 };
            *spare = failure.map(|failure| (finder, failure)).or(spare.take());
            std::mem::replace(&mut self.settings.max_steps, steps)
        })
    }

    fn enough_steps(&self, subject: &mut F::Subject, took: Duration) -> Option<(u32, Option<Failure>)> {
        let most = self.settings.max_steps_grown?;
        let mut steps = self.settings.max_steps;
        let single = self.settings.single(Vec::new(), self.settings.guide());
        let mut job = Job { trace: false, ..single };
        // What a step takes, in seconds, without the trace. Executions that are cut off are looked at more closely, and take longer.
        let mut step = took.as_secs_f64() / f64::from(TRACED) / f64::from(steps);
        loop {
            let next = steps.saturating_mul(TIMES).min(most).min(self.affordable(step));
            if next / LEAST < steps {
                return None;
            }
            steps = next;
            job.limit.steps = steps;
            let begun = Instant::now();
            let outcome = subject.run(&job);
            step = step.min(begun.elapsed().as_secs_f64() / f64::from(steps));
            if !subject.can_go_on() {
                return None;
            }
            if outcome.failure.is_some() {
                return Some((steps, outcome.failure));
            }
            if outcome.executions > 0 && outcome.step_limited == 0 {
                return (steps <= self.affordable(step)).then_some((steps, None));
            }
        }
    }

    /// So many steps leave time for a search, if each takes so many seconds.
    fn affordable(&self, step: f64) -> u32 {
        let Some(time) = self.settings.time else { return u32::MAX };
        let left = time.saturating_sub(self.started.elapsed());
        (left.as_secs_f64() / f64::from(EXECUTIONS) / step) as u32
    }
}
