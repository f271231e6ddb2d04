//! Executions that may have no end: each is run once more, with its trace, and judged by that.
//!
//! An execution that reached the limit of steps under fairness is run again as it was. One that has a window which may go
//! on for ever is run again up to the end of the window, which is then repeated (the core's `execution/pump.rs`). The second run has
//! an [`Execution`] of its own, so that the job goes on afterwards where it was.

use caissa_core::{Ending, Failure, Job, Limit, Scope};

use super::Rt;

/// Of a job's executions that reach the limit of steps the first so many are looked at, then one in [`SELDOM`].
const ALWAYS: u32 = 64;
const SELDOM: u32 = 16;

impl Rt {
    /// What the execution that has just run does for ever, if anything. `seen`: executions of the job that were looked at.
    pub(super) fn look_closer(self, job: &Job, seen: &mut u32) -> Option<Failure> {
        let execution = &self.engine().execution;
        if !execution.is_fair() || job.trace {
            return None;
        }
        let repeat = match execution.ending() {
            Some(Ending::StepLimit) => {
                *seen += 1;
                if *seen > ALWAYS && !seen.is_multiple_of(SELDOM) {
                    return None;
                }
                None
            }
            Some(_) => Some(execution.window()?),
            None => return None,
        };
        let failure = execution.failure();
        let before = |step: u32| repeat.is_none_or(|repeat| step < repeat.to);
        let again = Job {
            prefix: failure.choices.into_iter().filter(|choice| before(choice.step)).collect(),
            scope: Scope::One,
            guide: failure.guide,
            at_cut: failure.at_cut,
            limit: Limit { executions: 1, ..job.limit },
            reduce: false,
            repeat,
            trace: true,
            ..job.clone()
        };
        self.run_aside(&again)
    }

    /// Runs a job of one execution beside the present job. Returns the execution if it has a bug that is seen in its trace only.
    fn run_aside(self, job: &Job) -> Option<Failure> {
        let engine = self.engine();
        let mut aside = engine.aside.take().unwrap_or_else(|| Box::new(engine.settings.new_execution(false)));
        aside.set_clocks(engine.execution.has_clocks());
        std::mem::swap(&mut engine.execution, &mut aside);
        let schedulers = engine.settings.schedulers.clone();
        if engine.execution.begin(job, &schedulers) {
            self.run_execution();
            self.engine().execution.finish();
        }
        let engine = self.engine();
        let endless = engine.bug.take().is_some_and(|bug| bug.cycle().is_some());
        let failure = endless.then(|| engine.execution.failure());
        std::mem::swap(&mut engine.execution, &mut aside);
        engine.aside = Some(aside);
        failure
    }
}
