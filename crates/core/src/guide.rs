//! Guides: the rules that continue an execution past its prefix.
//!
//! A guide orders the options of a point; the option at position 0 is what it would do by itself. A search branches
//! over the others by position. Guides that have a state see every operation, also while a prefix is replayed.

mod delaying;
mod random;

pub use delaying::{Delaying, DelayingObject, DepthFirst, RoundRobin, SkippingDepthFirst};
pub use random::Random;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

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
    /// How many tasks have not ended, blocked ones included.
    pub unfinished: u32,
    /// The tasks whose next operation could take effect now.
    pub enabled: &'a TaskSet,
    /// The pending operation of each task, by number. Only those of enabled tasks are current.
    pub pending: &'a [Pending],
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
pub enum GuideSpec {
    /// The running task goes on while it can; when it cannot, the enabled task with the lowest number.
    NonPreemptive,
    /// A delaying scheduler by its registered name.
    Delaying(String),
    /// A random walk with this seed.
    Random(u64),
}

/// A guide with its state.
pub enum Guide {
    /// See [`GuideSpec::NonPreemptive`].
    NonPreemptive,
    /// See [`GuideSpec::Delaying`].
    Delaying(Box<dyn DelayingObject>),
    /// See [`GuideSpec::Random`].
    Random(Random),
}

impl Guide {
    /// Forgets everything about the last execution.
    pub(crate) fn reset(&mut self, seed: u64) {
        match self {
            Guide::NonPreemptive => {}
            Guide::Delaying(scheduler) => scheduler.reset(),
            Guide::Random(random) => *random = Random::new(seed),
        }
    }

    /// Whether going on with the running task changes nothing in the guide and is what it would do.
    #[inline]
    pub(crate) fn is_steady(&self) -> bool {
        match self {
            Guide::NonPreemptive => true,
            Guide::Delaying(scheduler) => scheduler.is_steady(),
            Guide::Random(_) => false,
        }
    }

    pub(crate) fn spawned(&mut self, task: TaskId) {
        if let Guide::Delaying(scheduler) = self {
            scheduler.give(task, true);
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
            Guide::Random(random) => {
                let nth = random.below(point.enabled.len());
                Answer::Choose(point.enabled.nth(nth).expect("below the number of enabled tasks"))
            }
        }
    }

    fn follow(&mut self, point: &Point<'_>, task: TaskId) -> Option<u32> {
        match self {
            Guide::NonPreemptive => Some(0),
            Guide::Delaying(scheduler) => delaying::follow(scheduler.as_mut(), point, task),
            Guide::Random(random) => {
                random.below(point.enabled.len());
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
