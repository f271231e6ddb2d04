//! The deciding side of Caissa: which executions to run, in which order, and what to conclude.
//!
//! A [`Search`] makes jobs and learns from their outcomes; that is all there is to it. [`Bounded`] is the one bounded
//! search: a cost per choice makes it iterative preemption bounding, delay bounding, context bounding, depth bounding or
//! plain depth-first search. [`Workers`] lets any number of subjects work on one search. [`minimise`] makes a failing
//! execution as small as it can before anyone looks at it.
#![forbid(unsafe_code)]

mod bounded;
mod frontier;
mod minimise;
mod workers;

pub use bounded::{Bounded, Settings};
pub use minimise::{Found, Limits, Minimised, minimise};
pub use workers::Workers;

use caissa_core::{Bug, Ending, Failure, Job, Outcome, Trace};

/// Names a job that is being run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// What to do next.
#[derive(Debug)]
pub enum Next {
    /// Run this job and let the search learn from its outcome.
    Run(JobId, Job),
    /// There may be more to do once an outcome is in.
    Wait,
    /// There is no more to do.
    Done,
}

/// Makes jobs and learns from their outcomes.
pub trait Search {
    /// The next job. `Wait` is answered only while a job is being run.
    fn next(&mut self) -> Next;

    /// What came of a job.
    fn learn(&mut self, id: JobId, outcome: Outcome);

    /// No more jobs shall be made, for the reason given; those being run still end.
    fn stop(&mut self, why: Stopped);
}

/// What can run jobs: a program under a front end.
pub trait Subject {
    /// Runs a job to its end or limit.
    fn run(&mut self, job: &Job) -> Outcome;

    /// Runs one execution and returns everything about it.
    fn replay(&mut self, job: &Job) -> Replay;

    /// Whether it can run further executions.
    fn can_go_on(&self) -> bool {
        true
    }
}

/// One execution with everything about it.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub ending: Ending,
    /// What is wrong with it, if anything.
    pub bug: Option<Bug>,
    /// What it spent of the job's cost.
    pub spent: u32,
    /// The execution in the form in which a search learns of it.
    pub failure: Failure,
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The budget of executions was used up.
    Executions,
    /// The budget of time was used up.
    Time,
    /// Somebody asked for it.
    Asked,
}

/// What a search can say when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every schedule was explored.
    Verified,
    /// Every schedule within the bound was explored.
    Bounded,
    /// The search ended early, or some execution could not be followed to its end.
    Incomplete,
    /// A bug was found.
    Bug,
    /// The program does not behave the same way under the same schedule.
    Diverged,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Bounded => "bounded",
            Verdict::Incomplete => "incomplete",
            Verdict::Bug => "bug",
            Verdict::Diverged => "diverged",
        }
    }
}

/// The figures of one bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundSummary {
    /// The bound: executions of exactly this cost.
    pub bound: u32,
    /// Executions.
    pub executions: u64,
    /// Executions that were cut because every way on cost something.
    pub cut: u64,
    /// Executions that the scheduler discarded.
    pub pruned: u64,
    /// Executions that met the limit of steps.
    pub step_limited: u64,
    /// Executions that came to a prefix of a class that had been explored, if equivalent ones are left out.
    pub redundant: u64,
    /// Classes that no smaller bound had shown, if classes are counted.
    pub new_classes: u64,
    /// Whether every execution of this cost was run.
    pub complete: bool,
}

impl BoundSummary {
    /// Whether every execution of this cost was run, and to its end.
    pub fn is_exhaustive(&self) -> bool {
        self.complete && self.step_limited == 0 && self.pruned == 0
    }
}

/// The figures of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By bound, ascending.
    pub bounds: Vec<BoundSummary>,
    /// Steps of all executions together.
    pub steps: u64,
    /// Steps of the longest execution.
    pub longest: u32,
    /// Whether some execution would need more than the largest bound.
    pub more: bool,
    /// Whether the scheduler leads to some schedules at no bound.
    pub unreachable: bool,
    /// Why the search ended early, if it did.
    pub stopped: Option<Stopped>,
    /// The first failing execution and the bound at which it was found.
    pub failure: Option<(u32, Failure)>,
    /// Failing executions; more than one only if the search went on after the first.
    pub failures: u64,
    /// Records on the frontier, and their bytes.
    pub frontier: (usize, usize),
}

impl Summary {
    /// Executions of all bounds.
    pub fn executions(&self) -> u64 {
        self.bounds.iter().map(|bound| bound.executions).sum()
    }

    /// Classes seen in all bounds.
    pub fn classes(&self) -> u64 {
        self.bounds.iter().map(|bound| bound.new_classes).sum()
    }

    /// Executions that met the limit of steps.
    pub fn step_limited(&self) -> u64 {
        self.bounds.iter().map(|bound| bound.step_limited).sum()
    }

    /// The largest bound that was explored completely.
    pub fn complete_bound(&self) -> Option<u32> {
        self.bounds.iter().take_while(|bound| bound.complete).last().map(|bound| bound.bound)
    }

    /// What can be concluded, before findings are confirmed.
    pub fn verdict(&self) -> Verdict {
        let pruned = self.bounds.iter().any(|bound| bound.pruned > 0);
        match &self.failure {
            Some((_, failure)) if failure.ending == Ending::Diverged => Verdict::Diverged,
            Some(_) => Verdict::Bug,
            None if self.stopped.is_some() || self.step_limited() > 0 => Verdict::Incomplete,
            None if self.more || pruned || self.unreachable => Verdict::Bounded,
            None => Verdict::Verified,
        }
    }
}
