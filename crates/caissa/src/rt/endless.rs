//! Executions that may have no end: each is run once more, with its trace, and judged by that.
//!
//! An execution that reached the limit of steps under fairness is run again as it was. One that has a window which may go
//! on for ever is run again up to the end of the window, which is then repeated (the core's `execution/pump.rs`). The second run has
//! an execution object of its own, so that the job goes on afterwards where it was. What goes round is then followed on, to ten
//! times `max_steps`, before it is called endless.

use caissa_core::{AtCut, Bug, Cycle, Ending, Failure, GuideSpec, Job, Limit, Schedule, Scope};

use super::{Engine, Rt};

/// What goes round has to do so for this many times `max_steps`.
const PATIENCE: u32 = 10;

/// A schedule with more differences from the default than this is folded.
const FEW_STOPS: usize = 16;

impl Rt {
    /// What the execution that has just run does for ever, if anything.
    #[inline]
    pub(super) fn look_closer(self, job: &Job) -> Option<Failure> {
        let execution = &self.engine().execution;
        let cut_off = execution.ending() == Some(&Ending::StepLimit);
        if !cut_off && execution.window().is_none() {
            return None;
        }
        self.look_closer_now(job, cut_off)
    }

    #[cold]
    fn look_closer_now(self, job: &Job, cut_off: bool) -> Option<Failure> {
        let execution = &self.engine().execution;
        if job.trace {
            return None;
        }
        let (failure, window) = (execution.failure(), execution.window());
        let again = again(job, failure.clone());
        if cut_off
            && execution.is_fair()
            && let Some(endless) = self.run_aside(&again)
            && self.goes_on(&again, &endless.cycle)
        {
            return Some(self.fold(&again, endless));
        }
        if cut_off {
            self.engine().terms.pulse.keep_cut_off(failure);
        }
        let repeat = window?;
        let prefix = again.prefix.iter().copied().filter(|choice| choice.step < repeat.to).collect();
        let pumped = Job { prefix, repeat: Some(repeat), ..again };
        self.run_aside(&pumped)
            .filter(|endless| self.goes_on(&pumped, &endless.cycle))
            .map(|endless| endless.failure)
    }

    /// If the execution that has just run, with its trace, seems to have no end: does it still, when it is followed?
    #[inline]
    pub(super) fn confirm_endless(self, job: &Job) {
        if self.engine().bug.is_some() {
            self.confirm_endless_bug(job);
        }
    }

    #[cold]
    fn confirm_endless_bug(self, job: &Job) {
        let engine = self.engine();
        if let Some(bug) = engine.bug.take_if(|bug| bug.cycle().is_some()) {
            let again = Job { repeat: job.repeat, ..again(job, engine.execution.failure()) };
            let endless = bug.cycle().is_some_and(|cycle| self.goes_on(&again, cycle));
            self.engine().bug = Some(bug).filter(|_| endless);
        }
    }

    /// Whether the execution still goes round long after `max_steps`: a loop may count to an end that does not show.
    fn goes_on(self, job: &Job, cycle: &Cycle) -> bool {
        let repeat = job.repeat.unwrap_or(cycle.repeat);
        let prefix = job.prefix.iter().copied().filter(|choice| choice.step < repeat.to).collect();
        let steps = job.limit.steps.saturating_mul(PATIENCE);
        let limit = Limit { steps, ..job.limit };
        let long = Job { prefix, limit, repeat: Some(repeat), trace: false, ..job.clone() };
        self.beside(&long, |engine| engine.execution.ending() == Some(&Ending::StepLimit))
    }

    /// The same in fewer choices: an execution that goes round with many choices in each round is written down as its first
    /// round, to be repeated.
    fn fold(self, job: &Job, endless: Endless) -> Failure {
        let Endless { failure, schedule, cycle } = endless;
        if schedule.stops.len() <= FEW_STOPS {
            return failure;
        }
        let mut prefix = schedule.prefix();
        prefix.retain(|choice| choice.step < cycle.repeat.to);
        let (guide, at_cut) = (GuideSpec::NonPreemptive, AtCut::Stop);
        let folded = Job { prefix, guide, at_cut, repeat: Some(cycle.repeat), ..job.clone() };
        self.run_aside(&folded).map_or(failure, |endless| endless.failure)
    }

    /// Runs a job of one execution, with its trace, beside the present job. Returns the execution if it has no end.
    fn run_aside(self, job: &Job) -> Option<Endless> {
        self.beside(job, |engine| {
            let cycle = engine.bug.as_ref().and_then(Bug::cycle).cloned()?;
            Some(Endless {
                cycle,
                failure: engine.execution.failure(),
                schedule: engine.execution.take_trace().expect("it was asked for").schedule,
            })
        })
    }

    /// Runs a job of one execution beside the present job, and looks at what came of it.
    fn beside<R>(self, job: &Job, look: impl FnOnce(&mut Engine) -> R) -> R {
        let engine = self.engine();
        let mut aside = engine.aside.take().unwrap_or_else(|| Box::new(engine.terms.execution(false)));
        aside.set_clocks(engine.execution.has_clocks());
        std::mem::swap(&mut engine.execution, &mut aside);
        let seen = engine.states.put_aside();
        let schedulers = engine.settings.schedulers.clone();
        if engine.execution.begin(job, &schedulers) {
            self.run_execution();
            self.engine().execution.finish();
        }
        let engine = self.engine();
        let result = look(engine);
        engine.bug = None;
        engine.states.put_back(seen);
        std::mem::swap(&mut engine.execution, &mut aside);
        engine.aside = Some(aside);
        result
    }
}

/// An execution that has no end.
struct Endless {
    failure: Failure,
    schedule: Schedule,
    cycle: Cycle,
}

/// The job that runs an execution of another job again, with its trace.
fn again(job: &Job, failure: Failure) -> Job {
    Job {
        prefix: failure.choices,
        scope: Scope::One,
        guide: failure.guide,
        at_cut: failure.at_cut,
        limit: Limit { executions: 1, ..job.limit },
        reduce: false,
        repeat: None,
        trace: true,
        ..job.clone()
    }
}
