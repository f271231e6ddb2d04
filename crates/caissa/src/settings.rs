//! What can be set: by the [`Builder`], and over it by `CAISSA_*` environment variables.

mod contradictions;
mod environment;
mod error;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use caissa_check::Settings;
pub use caissa_check::{Points, Search};
use caissa_core::Delaying;

pub(crate) use environment::environment;
pub use error::Error;

use crate::rt::schedulers::Schedulers;

/// What is checked, and how far. Start with [`Builder::new`], which has the defaults, and end with [`Builder::check`].
///
/// Every setting can be overridden from outside by the environment variable named with it.
#[derive(Clone)]
#[must_use = "a builder does nothing until `check` or `explore` is called"]
pub struct Builder {
    /// What every front end has.
    pub(crate) settings: Settings,
    pub(crate) schedulers: Schedulers,
    pub(crate) stack_size: usize,
    pub(crate) watchdog: Duration,
    pub(crate) panics_any: bool,
    pub(crate) allow_detached: bool,
    pub(crate) replay: Option<String>,
    /// Which check of a test `replay` is meant for.
    pub(crate) check_number: Option<u32>,
    pub(crate) reference_points: bool,
    pub(crate) no_preempt: Vec<String>,
    pub(crate) preempt_only: Vec<String>,
    pub(crate) force_clocks: bool,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            settings: Settings::default(),
            schedulers: Schedulers::default(),
            stack_size: 8 << 20,
            watchdog: Duration::from_secs(10),
            panics_any: false,
            allow_detached: false,
            replay: None,
            check_number: None,
            reference_points: false,
            no_preempt: Vec::new(),
            preempt_only: Vec::new(),
            force_clocks: false,
        }
    }
}

impl Builder {
    /// The defaults: `auto`, which begins with preemption bounds 0, 1 and 2; a million executions, 20,000 steps each, one worker.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Which executions are run (`CAISSA_SEARCH`).
    pub fn search(mut self, search: Search) -> Builder {
        self.settings.search = search;
        self
    }

    /// The largest bound of the search (`CAISSA_BOUND`, a number or `none`).
    pub fn bound(mut self, bound: u32) -> Builder {
        self.settings.bound = Some(Some(bound));
        self
    }

    /// No largest bound: the search goes on until nothing is left or a budget ends.
    pub fn unbounded(mut self) -> Builder {
        self.settings.bound = Some(None);
        self
    }

    /// Bounds preemptions: short for `search(Search::Preemptions).bound(bound)`.
    pub fn preemptions(self, bound: u32) -> Builder {
        self.search(Search::Preemptions).bound(bound)
    }

    /// Bounds delays of the scheduler set: short for `search(Search::Delays).bound(bound)`.
    pub fn delays(self, bound: u32) -> Builder {
        self.search(Search::Delays).bound(bound)
    }

    /// The delaying scheduler of [`Search::Delays`] (`CAISSA_SCHEDULER`): `rr` (round-robin, the default), `depth-first`
    /// (passing over blocked tasks), `depth-first-plain` (discarding executions in which a blocked task comes up), or the
    /// name of one registered with [`Builder::register_scheduler`].
    pub fn scheduler(mut self, name: &str) -> Builder {
        name.clone_into(&mut self.settings.scheduler);
        self
    }

    /// Registers a delaying scheduler under a name.
    pub fn register_scheduler<S, F>(mut self, name: &str, make: F) -> Builder
    where
        S: Delaying + Clone + 'static,
        F: Fn() -> S + Send + Sync + 'static,
    {
        self.schedulers.own.push((name.to_owned(), Arc::new(move || Box::new(make()))));
        self
    }

    /// The budget of executions (`CAISSA_MAX_EXECUTIONS`); a million if it is not set, 10,000 if all of them are samples.
    pub fn max_executions(mut self, executions: u64) -> Builder {
        self.settings.max_executions = Some(executions);
        self
    }

    /// The budget of memory for what the search itself keeps, the frontier and the classes seen, in bytes
    /// (`CAISSA_MEMORY`).
    pub fn memory(mut self, bytes: u64) -> Builder {
        self.settings.memory = Some(bytes);
        self
    }

    /// A file that the search can go on from (`CAISSA_RESUME`). If it exists the search goes on from it, else it begins. It is
    /// written every so often ([`Builder::resume_every`]), when a budget ends, and on Ctrl-C, which then ends the process;
    /// when the search is done it is removed. Budgets and workers may be others each time, everything else must be the same.
    /// However often it is interrupted, the search ends with the executions, classes and verdict of one that is not; with
    /// [`Builder::reduce`] there may be more executions, since what was left out is not in the file.
    ///
    /// A directory, or a path that ends with `/`, gets a file for each check, named after its test.
    ///
    /// Ctrl-C is left alone if the program handles or ignores it, and where no check has a resume file.
    pub fn resume(mut self, path: impl Into<PathBuf>) -> Builder {
        self.settings.resume = Some(path.into());
        self
    }

    /// How often the resume file is written (`CAISSA_RESUME_EVERY`, in seconds; 5 if it is not set). What was done since is
    /// lost if the process is killed. Large searches write less often, so that it does not take much of the time.
    pub fn resume_every(mut self, every: Duration) -> Builder {
        self.settings.resume_every = every;
        self
    }

    /// The seed that samples are drawn from (`CAISSA_SEED`). The same seed gives the same samples, whatever the number of
    /// workers; another seed gives others.
    pub fn seed(mut self, seed: u64) -> Builder {
        self.settings.seed = seed;
        self
    }

    /// The depth of the bugs that PCT is to hit (`CAISSA_PCT_DEPTH`, 3 if it is not set): how many orders between operations a
    /// bug needs. Each execution has one change of priority less.
    pub fn pct_depth(mut self, depth: u32) -> Builder {
        self.settings.pct_depth = depth;
        self
    }

    /// The limit of steps in one execution (`CAISSA_MAX_STEPS`).
    pub fn max_steps(mut self, steps: u32) -> Builder {
        self.settings.max_steps = steps;
        self
    }

    /// The budget of time (`CAISSA_TIME`, in seconds).
    pub fn time(mut self, time: Duration) -> Builder {
        self.settings.time = Some(time);
        self
    }

    /// How many threads work on the search (`CAISSA_WORKERS`).
    pub fn workers(mut self, workers: usize) -> Builder {
        self.settings.workers = workers;
        self
    }

    /// Under context and depth bounds an execution can have no way on within the bound. By default it ends there; with this
    /// a random walk with the given seed finishes it, so that its end is seen too (`CAISSA_FINISH_CUT`).
    pub fn finish_cut(mut self, seed: u64) -> Builder {
        self.settings.finish_cut = Some(seed);
        self
    }

    /// The size of each task's stack in bytes (`CAISSA_STACK_SIZE`); memory is used only as far as it is touched.
    pub fn stack_size(mut self, bytes: usize) -> Builder {
        self.stack_size = bytes;
        self
    }

    /// How long a task may stay between two scheduling points before the process is ended (`CAISSA_WATCHDOG`, in seconds).
    pub fn watchdog(mut self, patience: Duration) -> Builder {
        self.watchdog = patience;
        self
    }

    /// Whether happens-before classes are counted (`CAISSA_CLASSES`, `on` or `off`); off is a little faster.
    pub fn classes(mut self, on: bool) -> Builder {
        self.settings.classes = on;
        self
    }

    /// Whether executions are left out that are equivalent to others: of the same happens-before class (`CAISSA_REDUCE`, `on`
    /// or `off`, the default). Far fewer executions, the same classes. It is right only if tasks share nothing but caissa's
    /// types: what they share through others, such as a log in a std mutex, is not part of a class. For preemptions and dfs only.
    pub fn reduce(mut self, on: bool) -> Builder {
        self.settings.reduce = on;
        self
    }

    /// How many faults an execution may have (`CAISSA_FAULTS`); 1 by default, 0 is none. A fault is a timeout that fires
    /// while something else could happen first, a wait or park that ends for no reason, or a `compare_exchange_weak` that
    /// fails for no reason. Each is a choice that is explored like any other, beside the cost of the search.
    pub fn faults(mut self, faults: u32) -> Builder {
        self.settings.faults = faults;
        self
    }

    /// Whether the scheduler is fair (`CAISSA_FAIR`, `on` or `off`); it is unless this is off. A task that yields again without
    /// having let others run is not scheduled before they have run, free of charge. So a loop that waits and yields comes to
    /// its end, and executions that reach [`Builder::max_steps`] can be told apart: a livelock, a loop that does not yield, or
    /// just a long execution. Yields are `yield_now`, `spin_loop`, `sleep`, waits with a timeout, and tries that fail.
    pub fn fair(mut self, fair: bool) -> Builder {
        self.settings.fair = Some(fair);
        self
    }

    /// Fairness by every `k`-th yield of a task (`CAISSA_FAIR_K`, 1 if it is not set). States that can be reached while every task
    /// yields fewer than `k` times are certain to be explored; those that need more may be missed.
    pub fn fair_k(mut self, k: u32) -> Builder {
        self.settings.fair_k = Some(k);
        self
    }

    /// Whether every panic of a task is a bug, also one that a join has returned (`CAISSA_PANICS`, `any` or `unhandled`).
    pub fn panics_any(mut self, any: bool) -> Builder {
        self.panics_any = any;
        self
    }

    /// Whether tasks may still be blocked for ever when the closure has returned (`CAISSA_ALLOW_DETACHED`, `on` or `off`).
    pub fn allow_detached(mut self, allow: bool) -> Builder {
        self.allow_detached = allow;
        self
    }

    /// Whether the search goes on after a bug, to count all executions (`CAISSA_KEEP_GOING`, `on` or `off`).
    pub fn keep_going(mut self, keep_going: bool) -> Builder {
        self.settings.keep_going = keep_going;
        self
    }

    /// How many replays may be spent on making a finding smaller (`CAISSA_MINIMISE`).
    pub fn minimise(mut self, replays: u32) -> Builder {
        self.settings.minimise = replays;
        self
    }

    /// Whether `check` fails when the search did not get to the end of its bound (`CAISSA_COMPLETE`, `on` or `off`).
    pub fn complete(mut self, complete: bool) -> Builder {
        self.settings.complete = complete;
        self
    }

    /// Whether reports show every step (`CAISSA_FULL`, `on` or `off`).
    pub fn full_trace(mut self, full: bool) -> Builder {
        self.settings.full = full;
        self
    }

    /// Writes the trace of a finding to a file (`CAISSA_TRACE`).
    pub fn trace_file(mut self, path: impl Into<PathBuf>) -> Builder {
        self.settings.trace_file = Some(path.into());
        self
    }

    /// Replays a schedule (`cai1:...`) or a trace file, given by its path, instead of searching (`CAISSA_REPLAY`).
    pub fn replay(mut self, schedule: &str) -> Builder {
        self.replay = Some(schedule.to_owned());
        self
    }

    /// How often a long search says how far it is (`CAISSA_PROGRESS`, in seconds; 0 is never).
    pub fn progress(mut self, every: Duration) -> Builder {
        self.settings.progress = every;
        self
    }

    /// Names a function, type, trait or module in which tasks are not preempted (`CAISSA_NO_PREEMPT`, several with commas between):
    /// at a scheduling point where such a function is on a task's stack, the task goes on as long as it can. It can be called
    /// several times. [`no_preempt`](crate::no_preempt) does the same for a scope, and says more.
    ///
    /// The path is that of the definition, beginning with the crate (`my_crate::queue::Queue::push`), without type parameters. It
    /// stands for everything whose path begins with it. Stacks are read like backtraces: functions that were inlined are seen
    /// where there is debug information, with line tables only (`debug = "line-tables-only"`) no paths are known, and in an
    /// optimised build a function whose last act is a call is not on the stack any more. A name that no task came to is noted
    /// in the report. Points where other tasks are enabled then take a few microseconds each.
    pub fn no_preempt(mut self, path: &str) -> Builder {
        self.no_preempt.push(path.to_owned());
        self
    }

    /// Names a function, type, trait or module outside of which tasks are not preempted (`CAISSA_PREEMPT_ONLY`, several with commas
    /// between). It can be called several times: then tasks are preempted in all of these. Paths are as for
    /// [`Builder::no_preempt`], which goes before this where a task is in both. [`preempt_only`](crate::preempt_only) does the same
    /// for a scope.
    pub fn preempt_only(mut self, path: &str) -> Builder {
        self.preempt_only.push(path.to_owned());
        self
    }

    /// Puts a point also where docs/soundness.md shows that none is needed. For testing that claim.
    #[doc(hidden)]
    pub fn reference_points(mut self, on: bool) -> Builder {
        self.reference_points = on;
        self
    }

    /// Whether data races are looked for: accesses of one data cell ([`crate::cell`]) by two tasks, one of them a write, that
    /// nothing orders (`CAISSA_RACES`, `on`, the default, or `off`). It costs nothing where tasks share no cells.
    pub fn races(mut self, on: bool) -> Builder {
        self.settings.races = on;
        self
    }

    /// Which accesses of data are scheduling points (`CAISSA_POINTS`, `sync`, the default, `racy` or `all`). With `racy` a race
    /// does not end the search: its accesses become points, and the search begins again for what comes of it.
    pub fn points(mut self, points: Points) -> Builder {
        self.settings.points = points;
        self
    }

    /// Keeps the clocks by which races are found also where tasks share no cells. For measuring what they cost.
    #[doc(hidden)]
    pub fn force_clocks(mut self, on: bool) -> Builder {
        self.force_clocks = on;
        self
    }
}

fn setting(name: &str, value: &str, expected: &str) -> Error {
    Error::Setting { name: name.to_owned(), value: value.to_owned(), expected: expected.to_owned() }
}
