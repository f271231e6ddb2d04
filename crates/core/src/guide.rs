//! Guides: the rules that continue an execution past its prefix.
//!
//! A guide orders the options of a point; the option at position 0 is what it would do by itself. A search branches
//! over the others by position. Guides that have a state see every operation, also while a prefix is replayed.
//!
//! Sampling guides draw what they do from a seed. Where one task is alone they draw nothing and have nothing to note that
//! they could not note later, save [`Surw`], so that such points may pass without asking them.

mod delaying;
mod pct;
mod pos;
mod random;
mod surw;

pub use delaying::{Delaying, DelayingObject, DepthFirst, RoundRobin, SkippingDepthFirst};
pub use pct::Pct;
pub use pos::Pos;
pub use random::Random;
pub use surw::{Profile, Surw, Target};

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::class::mix2;
use crate::op::Pending;
use crate::task::{TaskId, TaskSet};

/// The moment before an operation takes effect, when a choice is made.
pub struct Point<'a> {
    /// How many steps the execution has taken.
    pub step: u32,
    /// The task that took the last step.
    pub last: TaskId,
    /// Whether that task could go on and has not given its turn away: leaving it is then a preemption. A task that waits
    /// with a timeout that is due, say, can be enabled without this.
    pub last_enabled: bool,
    /// Whether that task has ended.
    pub last_ended: bool,
    /// Whether that task is enabled and fairness keeps it from being scheduled: leaving it costs nothing.
    pub forced: bool,
    /// How many tasks have not ended, blocked ones included.
    pub unfinished: u32,
    /// The tasks whose next operation could take effect now, as far as fairness and sealing let them.
    pub enabled: &'a TaskSet,
    /// The pending operation of each task, by number. Only those of enabled tasks are current.
    pub pending: &'a [Pending],
    /// What the front end says of everything before ([`crate::Execution::set_digest`]).
    pub digest: u64,
}

/// What a guide answers at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run this task.
    Choose(TaskId),
    /// This execution is not to be continued.
    Prune,
}

/// Names a guide so that it can travel in a [`crate::Job`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GuideSpec {
    /// The running task goes on while it can; when it cannot, the enabled task with the lowest number.
    NonPreemptive,
    /// A delaying scheduler by its registered name.
    Delaying(String),
    /// A random walk with this seed.
    Random(u64),
    /// PCT: random priorities that change at random steps.
    Pct {
        /// The seed.
        seed: u64,
        /// The depth of the bugs it is to hit: one more than the changes of priority.
        depth: u32,
        /// About how many steps an execution has.
        steps: u32,
    },
    /// POS, with this seed: a random priority for each operation.
    Pos(u64),
    /// SURW: uniform over the interleavings of the operations on one object.
    Surw {
        /// The seed.
        seed: u64,
        /// What tasks do to which objects.
        profile: Arc<Profile>,
    },
}

impl GuideSpec {
    /// The seed of a sampling guide.
    pub fn seed(&self) -> Option<u64> {
        match self {
            GuideSpec::NonPreemptive | GuideSpec::Delaying(_) => None,
            GuideSpec::Random(seed)
            | GuideSpec::Pct { seed, .. }
            | GuideSpec::Pos(seed)
            | GuideSpec::Surw { seed, .. } => Some(*seed),
        }
    }

    /// The same guide with the seed of the sample with this number.
    pub fn sample(&self, number: u64) -> GuideSpec {
        let mut guide = self.clone();
        if let GuideSpec::Random(seed)
        | GuideSpec::Pct { seed, .. }
        | GuideSpec::Pos(seed)
        | GuideSpec::Surw { seed, .. } = &mut guide
        {
            *seed = sample_seed(*seed, number);
        }
        guide
    }
}

/// The seed of the sample with this number, among those of a job with this seed.
pub(crate) fn sample_seed(seed: u64, number: u64) -> u64 {
    mix2(seed, number)
}

/// A guide with its state.
pub enum Guide {
    /// See [`GuideSpec::NonPreemptive`].
    NonPreemptive,
    /// See [`GuideSpec::Delaying`].
    Delaying(Box<dyn DelayingObject>),
    /// See [`GuideSpec::Random`].
    Random(Random),
    /// See [`GuideSpec::Pct`].
    Pct(Pct),
    /// See [`GuideSpec::Pos`].
    Pos(Pos),
    /// See [`GuideSpec::Surw`].
    Surw(Surw),
}

/// The name of the round-robin scheduler.
pub const ROUND_ROBIN: &str = "rr";
/// The name of the depth-first scheduler that skips blocked tasks.
pub const DEPTH_FIRST: &str = "depth-first";
/// The name of the depth-first scheduler that discards executions which take a blocked task.
pub const PLAIN_DEPTH_FIRST: &str = "depth-first-plain";

impl Guide {
    /// The built-in guide of this specification; `None` if its scheduler has another name.
    pub fn built_in(spec: &GuideSpec) -> Option<Guide> {
        match spec {
            GuideSpec::NonPreemptive => Some(Guide::NonPreemptive),
            GuideSpec::Delaying(name) => Some(Guide::Delaying(match name.as_str() {
                ROUND_ROBIN => Box::new(RoundRobin::default()),
                DEPTH_FIRST => Box::new(SkippingDepthFirst::default()),
                PLAIN_DEPTH_FIRST => Box::new(DepthFirst::default()),
                _ => return None,
            })),
            sampling => Guide::sampling(sampling),
        }
    }

    /// The sampling guide of this specification; `None` if it is not one.
    pub fn sampling(spec: &GuideSpec) -> Option<Guide> {
        match spec {
            GuideSpec::NonPreemptive | GuideSpec::Delaying(_) => None,
            GuideSpec::Random(seed) => Some(Guide::Random(Random::new(*seed))),
            GuideSpec::Pct { seed, depth, steps } => Some(Guide::Pct(Pct::new(*seed, *depth, *steps))),
            GuideSpec::Pos(seed) => Some(Guide::Pos(Pos::new(*seed))),
            GuideSpec::Surw { seed, profile } => Some(Guide::Surw(Surw::new(*seed, Arc::clone(profile)))),
        }
    }

    /// Forgets everything about the last execution.
    pub(crate) fn reset(&mut self, seed: u64) {
        match self {
            Guide::NonPreemptive => {}
            Guide::Delaying(scheduler) => scheduler.reset(),
            Guide::Random(random) => *random = Random::new(seed),
            Guide::Pct(pct) => pct.reset(seed),
            Guide::Pos(pos) => pos.reset(seed),
            Guide::Surw(surw) => surw.reset(seed),
        }
    }

    /// What a sampling guide draws from.
    #[inline]
    pub(crate) fn random(&mut self) -> Option<&mut Random> {
        match self {
            Guide::NonPreemptive | Guide::Delaying(_) => None,
            Guide::Random(random) => Some(random),
            Guide::Pct(pct) => Some(&mut pct.random),
            Guide::Pos(pos) => Some(&mut pos.random),
            Guide::Surw(surw) => Some(&mut surw.random),
        }
    }

    /// Whether a sampling guide need not be asked where one task is alone.
    pub(crate) fn passes_alone(&self) -> bool {
        matches!(self, Guide::Random(_) | Guide::Pct(_) | Guide::Pos(_))
    }

    /// The task that a sampling guide runs.
    #[inline]
    pub(crate) fn sample(&mut self, point: &Point<'_>) -> TaskId {
        match self {
            Guide::Random(random) => random.at(point.enabled),
            Guide::Pct(pct) => pct.at(point),
            Guide::Pos(pos) => pos.at(point),
            Guide::Surw(surw) => surw.at(point),
            Guide::NonPreemptive | Guide::Delaying(_) => unreachable!("not a sampling guide"),
        }
    }

    /// Whether going on with the running task changes nothing in the guide and is what it would do.
    #[inline]
    pub(crate) fn is_steady(&self) -> bool {
        match self {
            Guide::NonPreemptive => true,
            Guide::Delaying(scheduler) => scheduler.is_steady(),
            Guide::Random(_) | Guide::Pct(_) | Guide::Pos(_) | Guide::Surw(_) => false,
        }
    }

    pub(crate) fn spawned(&mut self, task: TaskId, parent: TaskId) {
        match self {
            Guide::NonPreemptive | Guide::Random(_) => {}
            Guide::Delaying(scheduler) => scheduler.give(task, true),
            Guide::Pct(pct) => pct.spawned(task),
            Guide::Pos(pos) => pos.spawned(task),
            Guide::Surw(surw) => surw.spawned(task, parent),
        }
    }
}

/// How the walk asks for the options of a point.
pub(crate) trait Order {
    /// How many options the point has, at positions 0, 1, ...
    fn count(&self, point: &Point<'_>) -> u32;

    /// The positions of the options other than the default, if they may not follow each other without a gap; and whether
    /// these are all enabled tasks.
    fn scattered(&self, _point: &Point<'_>) -> Option<(Vec<u32>, bool)> {
        None
    }

    /// The option at a position.
    fn at(&mut self, point: &Point<'_>, position: u32) -> Answer;

    /// Leads to the task that a replayed choice names; says at which position it stands, where that matters.
    fn follow(&mut self, point: &Point<'_>, task: TaskId) -> Option<u32>;

    /// Whether it may discard executions.
    fn discards(&self) -> bool {
        false
    }
}

/// The order of the non-preemptive guide: the default, then the other enabled tasks by number.
pub(crate) struct NonPreemptive;

impl Order for NonPreemptive {
    #[inline]
    fn count(&self, point: &Point<'_>) -> u32 {
        point.enabled.len()
    }

    #[inline]
    fn at(&mut self, point: &Point<'_>, position: u32) -> Answer {
        let default = default_task(point.last, point.last_enabled, point.enabled);
        let Some(other) = position.checked_sub(1) else { return Answer::Choose(default) };
        let mut others = point.enabled.iter().filter(|&task| task != default);
        others.nth(other as usize).map_or(Answer::Prune, Answer::Choose)
    }

    #[inline]
    fn follow(&mut self, _point: &Point<'_>, _task: TaskId) -> Option<u32> {
        Some(0)
    }
}

impl Order for Guide {
    fn count(&self, point: &Point<'_>) -> u32 {
        match self {
            Guide::Delaying(scheduler) if !scheduler.skips_blocked() => point.unfinished,
            _ => point.enabled.len(),
        }
    }

    fn scattered(&self, point: &Point<'_>) -> Option<(Vec<u32>, bool)> {
        match self {
            Guide::Delaying(scheduler) if !scheduler.is_cyclic() => {
                Some(delaying::positions(scheduler.as_ref(), point))
            }
            _ => None,
        }
    }

    fn at(&mut self, point: &Point<'_>, position: u32) -> Answer {
        match self {
            Guide::NonPreemptive => NonPreemptive.at(point, position),
            Guide::Delaying(scheduler) => delaying::at(scheduler.as_mut(), point, position),
            _ => Answer::Choose(self.sample(point)),
        }
    }

    fn follow(&mut self, point: &Point<'_>, task: TaskId) -> Option<u32> {
        match self {
            Guide::NonPreemptive => Some(0),
            Guide::Delaying(scheduler) => delaying::follow(scheduler.as_mut(), point, task),
            _ => {
                self.sample(point);
                Some(0)
            }
        }
    }

    fn discards(&self) -> bool {
        matches!(self, Guide::Delaying(scheduler) if !scheduler.skips_blocked() && scheduler.is_cyclic())
    }
}

/// The default of the non-preemptive guide; schedules are written down as their differences from it.
#[inline]
pub fn default_task(last: TaskId, last_enabled: bool, enabled: &TaskSet) -> TaskId {
    let stays = last_enabled || enabled.contains(last);
    if stays { last } else { enabled.first().expect("a point has an enabled task") }
}
