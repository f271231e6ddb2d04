//! The deciding side of Caissa: which executions to run, in which order, and what to conclude.
//!
//! A [`Search`] makes jobs and learns from their outcomes; that is all there is to it. [`Mix`] is the one search, made of one
//! or more parts. A bounded part ([`Bounds`]) is, by its cost per choice, iterative preemption bounding, delay bounding,
//! context bounding, depth bounding or plain depth-first search; a sampling part ([`Samples`]) draws executions at random.
//! [`auto`] mixes them. [`Workers`] lets any number of subjects work on one search. A search can be saved and go on in
//! another process ([`Checkpoint`]). [`minimise`] makes a failing execution as small as it can before anyone looks at it.
#![forbid(unsafe_code)]

mod auto;
mod bounded;
mod checkpoint;
mod coverage;
mod endless;
mod frontier;
mod minimise;
mod mix;
mod part;
mod pulse;
mod sampling;
mod segments;
mod summary;
mod window;
mod workers;

pub use auto::{Ingredient, auto};
pub use bounded::Bounds;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use endless::{Beside, confirm_endless, look_closer};
pub use minimise::{Found, Limits, Minimised, minimise};
pub use mix::{Mix, Settings};
pub use pulse::Pulse;
pub use sampling::{Policy, Samples};
pub use summary::{BoundSummary, Finder, Progress, Sampled, Side, Summary, Verdict};
pub use workers::Workers;

use caissa_core::{Bug, Ending, Failure, Job, ObjectId, ObjectKind, Op, Outcome, Source, TaskId, Trace};

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

    /// The names of the tasks of the execution that it ran last, by number.
    fn task_names(&self) -> Vec<Option<String>> {
        Vec::new()
    }

    /// The name of an object that is no task. One that has none is called by its kind and number. That of a statement is what it does.
    fn object_name(&self, _kind: ObjectKind, _object: ObjectId) -> Option<String> {
        None
    }

    /// What each task of it that had not ended was about to do: [`Execution::all_pending`](caissa_core::Execution::all_pending).
    fn pending(&self) -> Vec<(TaskId, Op, Source)> {
        Vec::new()
    }

    /// What else there is to say of the execution that it ran last, for whoever reads of a bug in it: lines.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether traces tell what operations observed. They do until told otherwise; where they are only compared it takes time for
    /// nothing.
    fn keep_notes(&mut self, _keep: bool) {}
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
    /// Stands for everything that the program did, as far as the front end sees more of it than the trace shows; else 0.
    pub digest: u64,
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The budget of executions was used up.
    Executions,
    /// The budget of time was used up.
    Time,
    /// The budget of memory was used up.
    Memory,
    /// The user interrupted it.
    Interrupted,
    /// Somebody asked for it.
    Asked,
}
