//! What can be set in every front end: which executions are run, how far, and what is made of them.

mod contradictions;
mod error;
mod points;
mod search;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use caissa_core::guide::{DEPTH_FIRST, PLAIN_DEPTH_FIRST, ROUND_ROBIN};
use caissa_core::{AtCut, Choice, GuideSpec, Job, Schedule, ScheduleError};
use caissa_search::{Bounds, Ingredient, Samples, auto};

pub use error::Error;
pub use points::Points;
pub use search::Search;

use crate::report::file;

/// The budget of executions, where none is set.
const DEFAULT_EXECUTIONS: u64 = 1_000_000;
/// The same if all executions are samples: these have no end of their own.
const DEFAULT_SAMPLES: u64 = 10_000;

/// What is checked, and how far.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which executions are run. By default `auto`.
    pub search: Search,
    /// The largest bound: `None` is the search's own, `Some(None)` is no largest bound.
    pub bound: Option<Option<u32>>,
    /// The delaying scheduler of a search by delays. By default round-robin.
    pub scheduler: String,
    /// The budget of executions; if it is not set a million, 10,000 if all of them are samples.
    pub max_executions: Option<u64>,
    /// The budget of memory for what the search itself keeps, in bytes.
    pub memory: Option<u64>,
    /// The budget of time.
    pub time: Option<Duration>,
    /// The limit of steps in one execution. By default 20,000.
    pub max_steps: u32,
    /// If the first execution needs more: the limit of all is so much, at most, where it comes to its end with that. By default it does not grow. Nor does it where there is a
    /// resume file, which says what it is.
    pub max_steps_grown: Option<u32>,
    /// A file that the search can go on from; a directory gets a file for each check.
    pub resume: Option<PathBuf>,
    /// How often the resume file is written. By default every 5 seconds.
    pub resume_every: Duration,
    /// The seed that samples are drawn from. By default 0.
    pub seed: u64,
    /// The depth of the bugs that PCT is to hit. By default 3.
    pub pct_depth: u32,
    /// How many threads work on the search. By default 1.
    pub workers: usize,
    /// Executions that have no way on within their bound are finished by a random walk with this seed.
    pub finish_cut: Option<u64>,
    /// Whether happens-before classes are counted. By default they are.
    pub classes: bool,
    /// Whether executions are left out that are equivalent to others. By default not.
    pub reduce: bool,
    /// How many faults an execution may have. By default 1.
    pub faults: u32,
    /// Whether the scheduler is fair. It is by default, where the search allows it.
    pub fair: Option<bool>,
    /// Fairness by every so many yields of a task. By default 1.
    pub fair_k: Option<u32>,
    /// Whether data races are looked for. By default they are.
    pub races: bool,
    /// Which accesses of data are scheduling points. By default none.
    pub points: Points,
    /// Whether the search goes on after a bug, to count all executions. By default not.
    pub keep_going: bool,
    /// How many replays may be spent on making a finding smaller. By default 2,000.
    pub minimise: u32,
    /// Whether an incomplete search counts as a failure. By default not.
    pub complete: bool,
    /// Whether an execution that was cut off is shown. By default it is.
    pub show_cut_off: bool,
    /// Whether reports show every step. By default not.
    pub full: bool,
    /// The trace of a finding is written to this file.
    pub trace_file: Option<PathBuf>,
    /// How often a long search says how far it is; zero is never. By default every 2 seconds.
    pub progress: Duration,
    /// Executions are added to this while they are run, for whoever shows how far several checks are together.
    pub count: Option<Arc<AtomicU64>>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            search: Search::Auto,
            bound: None,
            scheduler: ROUND_ROBIN.to_owned(),
            max_executions: None,
            memory: None,
            time: None,
            max_steps: 20_000,
            max_steps_grown: None,
            resume: None,
            resume_every: Duration::from_secs(5),
            seed: 0,
            pct_depth: 3,
            workers: 1,
            finish_cut: None,
            classes: true,
            reduce: false,
            faults: 1,
            fair: None,
            fair_k: None,
            races: true,
            points: Points::Sync,
            keep_going: false,
            minimise: 2_000,
            complete: false,
            show_cut_off: true,
            full: false,
            trace_file: None,
            progress: Duration::from_secs(2),
            count: None,
        }
    }
}

impl Settings {
    /// Fairness as schedules name it: every so many yields count; 0 is off.
    pub fn fairness(&self) -> u32 {
        let plain = self.search == Search::Delays && self.scheduler == PLAIN_DEPTH_FIRST;
        if self.fair.unwrap_or(!plain) { self.fair_k.unwrap_or(1) } else { 0 }
    }

    /// The largest bound, if there is one.
    pub fn max_bound(&self) -> Option<u32> {
        self.bound.unwrap_or_else(|| self.search.default_bound()).filter(|_| self.search != Search::Dfs)
    }

    pub(crate) fn execution_budget(&self) -> u64 {
        let default = if self.search.policy().is_some() { DEFAULT_SAMPLES } else { DEFAULT_EXECUTIONS };
        self.max_executions.unwrap_or(default)
    }

    /// What the search consists of, with shares.
    pub(crate) fn ingredients(&self) -> Vec<(Ingredient, u64)> {
        if self.search == Search::Auto {
            // What goes on from a file may do so with a larger budget, and is divided in the same way with any.
            let budget = self.max_executions.filter(|_| self.resume.is_none());
            return auto(self.max_bound(), &[ROUND_ROBIN, DEPTH_FIRST], self.seed, self.pct_depth, budget);
        }
        let ingredient = match self.search.policy() {
            Some(policy) => Ingredient::Sampling(Samples { policy, seed: self.seed, depth: self.pct_depth }),
            None => Ingredient::Bounded(Bounds {
                cost: self.search.cost(),
                guide: self.guide(),
                max_bound: self.max_bound(),
                at_cut: self.finish_cut.map_or(AtCut::Stop, AtCut::Finish),
            }),
        };
        vec![(ingredient, 1)]
    }

    /// What takes the steps that no search decides.
    pub fn guide(&self) -> GuideSpec {
        match self.search {
            Search::Delays => GuideSpec::Delaying(self.scheduler.clone()),
            _ => GuideSpec::NonPreemptive,
        }
    }

    /// The job of one execution, with its trace.
    pub fn single(&self, prefix: Vec<Choice>, guide: GuideSpec) -> Job {
        Job { faults: self.faults, ..Job::single(prefix, guide, self.max_steps) }
    }
}

/// A schedule, given as text (`cai1:...`) or by the path of a trace file, which is returned too.
///
/// # Errors
/// If it is neither, or cannot be read.
pub fn read_schedule(text: &str) -> Result<(Schedule, Option<PathBuf>), Error> {
    let path = PathBuf::from(text);
    match text.parse() {
        Ok(schedule) => Ok((schedule, None)),
        Err(ScheduleError::NotASchedule) if path.exists() => Ok((file::read_schedule(&path)?, Some(path))),
        Err(error) => Err(Error::Schedule(error)),
    }
}

fn setting(name: &str, value: &str, expected: &str) -> Error {
    Error::Setting { name: name.to_owned(), value: value.to_owned(), expected: expected.to_owned() }
}
