//! Executions that may have no end: each is run once more, with its trace, and judged by that.
//!
//! An execution that reached the limit of steps under fairness is run again as it was. One that has a window which may go
//! on for ever is run again up to the end of the window, which is then repeated (the core's `execution/pump.rs`). What goes round is
//! then followed on, to ten times `max_steps`, before it is called endless.

use caissa_core::{AtCut, Bug, Cycle, Ending, Execution, Failure, GuideSpec, Job, Limit, Schedule};

/// What goes round has to do so for this many times `max_steps`.
const PATIENCE: u32 = 10;

/// A schedule with more differences from the default than this is folded.
const FEW_STOPS: usize = 16;

/// What can run an execution beside those of its present job.
pub trait Beside: Sized {
    /// The execution that has just run.
    fn execution(&mut self) -> &mut Execution;

    /// What is wrong with it.
    fn bug(&mut self) -> &mut Option<Bug>;

    /// Runs a job of one execution with an execution object of its own, and looks at what came of it. The present job goes on
    /// afterwards where it was, and no bug is left.
    fn beside<R>(&mut self, job: &Job, look: impl FnOnce(&mut Self) -> R) -> R;

    /// Whether the execution that has just run, and was cut off, can be an endless one, as far as is known without looking closer.
    fn may_be_endless(&mut self) -> bool {
        true
    }

    /// An execution was cut off at the limit of steps and is not known to be endless.
    fn keep_cut_off(&mut self, failure: Failure);
}

/// What the execution that has just run does for ever, if anything.
#[inline]
pub fn look_closer(subject: &mut impl Beside, job: &Job) -> Option<Failure> {
    let execution = subject.execution();
    let cut_off = execution.ending() == Some(&Ending::StepLimit);
    if !cut_off && execution.window().is_none() {
        return None;
    }
    look_closer_now(subject, job, cut_off)
}

#[cold]
fn look_closer_now(subject: &mut impl Beside, job: &Job, cut_off: bool) -> Option<Failure> {
    if job.trace {
        return None;
    }
    let execution = subject.execution();
    let (failure, window, fair) = (execution.failure(), execution.window(), execution.is_fair());
    let may_be_endless = subject.may_be_endless();
    let again = again(job, failure.clone());
    if cut_off
        && fair
        && may_be_endless
        && let Some(endless) = run_aside(subject, &again)
        && goes_on(subject, &again, &endless.cycle)
    {
        return Some(fold(subject, &again, endless));
    }
    if cut_off {
        subject.keep_cut_off(failure);
    }
    let repeat = window?;
    let prefix = again.prefix.iter().copied().filter(|choice| choice.step < repeat.to).collect();
    let pumped = Job { prefix, repeat: Some(repeat), ..again };
    let endless = run_aside(subject, &pumped)?;
    goes_on(subject, &pumped, &endless.cycle).then_some(endless.failure)
}

/// If the execution that has just run, with its trace, seems to have no end: does it still, when it is followed?
#[inline]
pub fn confirm_endless(subject: &mut impl Beside, job: &Job) {
    if subject.bug().is_some() {
        confirm_endless_bug(subject, job);
    }
}

#[cold]
fn confirm_endless_bug(subject: &mut impl Beside, job: &Job) {
    if let Some(bug) = subject.bug().take_if(|bug| bug.cycle().is_some()) {
        let again = Job { repeat: job.repeat, ..again(job, subject.execution().failure()) };
        let endless = bug.cycle().is_some_and(|cycle| goes_on(subject, &again, cycle));
        *subject.bug() = Some(bug).filter(|_| endless);
    }
}

/// Whether the execution still goes round long after `max_steps`: a loop may count to an end that does not show.
fn goes_on(subject: &mut impl Beside, job: &Job, cycle: &Cycle) -> bool {
    let repeat = job.repeat.unwrap_or(cycle.repeat);
    let prefix = job.prefix.iter().copied().filter(|choice| choice.step < repeat.to).collect();
    let steps = job.limit.steps.saturating_mul(PATIENCE);
    let limit = Limit { steps, ..job.limit };
    let long = Job { prefix, limit, repeat: Some(repeat), trace: false, ..job.clone() };
    subject.beside(&long, |subject| subject.execution().ending() == Some(&Ending::StepLimit))
}

/// The same in fewer choices: an execution that goes round with many choices in each round is written down as its first
/// round, to be repeated.
fn fold(subject: &mut impl Beside, job: &Job, endless: Endless) -> Failure {
    let Endless { failure, schedule, cycle } = endless;
    if schedule.stops.len() <= FEW_STOPS {
        return failure;
    }
    let mut prefix = schedule.prefix();
    prefix.retain(|choice| choice.step < cycle.repeat.to);
    let (guide, at_cut) = (GuideSpec::NonPreemptive, AtCut::Stop);
    let folded = Job { prefix, guide, at_cut, repeat: Some(cycle.repeat), ..job.clone() };
    run_aside(subject, &folded).map_or(failure, |endless| endless.failure)
}

/// Runs a job of one execution, with its trace, beside the present job. Returns the execution if it has no end.
fn run_aside(subject: &mut impl Beside, job: &Job) -> Option<Endless> {
    subject.beside(job, |subject| {
        let cycle = subject.bug().as_ref().and_then(Bug::cycle).cloned()?;
        let execution = subject.execution();
        let failure = execution.failure();
        Some(Endless { cycle, failure, schedule: execution.take_trace().expect("it was asked for").schedule })
    })
}

/// An execution that has no end.
struct Endless {
    failure: Failure,
    schedule: Schedule,
    cycle: Cycle,
}

/// The job that runs an execution of another job again, with its trace.
fn again(job: &Job, failure: Failure) -> Job {
    let single = Job::single(failure.choices, failure.guide, job.limit.steps);
    Job { cost: job.cost, faults: job.faults, at_cut: failure.at_cut, ..single }
}
