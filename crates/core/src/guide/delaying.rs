//! Delaying schedulers (Emmi, Qadeer, Rakamarić, POPL 2011, section 3).
//!
//! A delaying scheduler is deterministic: it takes its next task from an object that it keeps of the pending tasks. What
//! a search adds is the right to *delay* the task that was taken, at a cost of 1, and to take again. Every point is a
//! dispatch: the task that ran is given back, unless it has ended, and one is taken.
//!
//! The options of a point are the tasks in the order in which delays bring them up, each at the number of delays after
//! which it comes up first. The built-in schedulers go round: every enabled task comes up once before any comes up
//! again. A user's may bring one task up several times before another; how many delays lead where is then found by
//! trying on a copy.
//!
//! Deviations from the paper: `take` is told which tasks are enabled; Scheduler 3 reads `i` modulo the number of pending
//! tasks when it takes (as printed, `i` can point past the end after a task has ended).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Answer, Point};
use crate::task::{TaskId, TaskSet};

/// A deterministic scheduler that can postpone the task it would run next.
///
/// For a search over its delays to cover everything in the limit it must be *lossless* (a task that was given is still
/// pending until it is taken) and *delay-accessible* (every enabled pending task comes up after some number of delays),
/// and of course deterministic.
pub trait Delaying: Send {
    /// Forgets everything: no task is pending.
    fn reset(&mut self);

    /// A task becomes pending: a fresh one, or the one that has just taken a step.
    fn give(&mut self, task: TaskId, fresh: bool);

    /// Removes the next task. `None` if no pending task can be scheduled. Returning a task that is not enabled discards
    /// the execution.
    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId>;

    /// Postpones a task that `take` has just returned: it becomes pending again.
    fn delay(&mut self, task: TaskId);

    /// Whether delays bring every enabled task up once before any comes up again. `false` is always right, and slower.
    fn is_cyclic(&self) -> bool {
        false
    }

    /// Whether `take` passes over tasks that are not enabled. If not, they are options too, which discard the execution.
    fn skips_blocked(&self) -> bool {
        true
    }

    /// True if now, as long as no task is spawned and the task taken last stays enabled, giving that task back and taking
    /// again returns it and leaves the object as it was. Points are then passed without asking. `false` is always right.
    fn is_steady(&self) -> bool {
        false
    }
}

/// A delaying scheduler that can be copied: every one that is `Clone`.
pub trait DelayingObject: Delaying {
    /// A copy with the same pending tasks.
    fn copy(&self) -> Box<dyn DelayingObject>;
}

impl<S: Delaying + Clone + 'static> DelayingObject for S {
    fn copy(&self) -> Box<dyn DelayingObject> {
        Box::new(self.clone())
    }
}

/// How many delays are tried for each pending task before it is taken for unreachable.
const MAX_ROUNDS: u32 = 8;

/// Gives the last task back, takes and delays `position` times.
pub(super) fn at(scheduler: &mut dyn DelayingObject, point: &Point<'_>, position: u32) -> Answer {
    let Some(mut task) = dispatch(scheduler, point) else { return Answer::Prune };
    for _ in 0..position {
        scheduler.delay(task);
        match scheduler.take(point.enabled) {
            Some(next) => task = next,
            None => return Answer::Prune,
        }
    }
    if point.enabled.contains(task) { Answer::Choose(task) } else { Answer::Prune }
}

/// Takes and delays until `wanted` comes up; says after how many delays.
pub(super) fn follow(scheduler: &mut dyn DelayingObject, point: &Point<'_>, wanted: TaskId) -> Option<u32> {
    let mut task = dispatch(scheduler, point)?;
    for position in 0..MAX_ROUNDS * point.unfinished {
        if task == wanted {
            return Some(position);
        }
        scheduler.delay(task);
        task = scheduler.take(point.enabled)?;
    }
    None
}

/// The numbers of delays, other than 0, after which a task comes up that has not come up before; and whether every
/// enabled task came up.
pub(super) fn positions(scheduler: &dyn DelayingObject, point: &Point<'_>) -> (Vec<u32>, bool) {
    let mut copy = scheduler.copy();
    let mut positions = Vec::new();
    let mut seen = TaskSet::new();
    let mut next = dispatch(copy.as_mut(), point);
    for position in 0..MAX_ROUNDS * point.unfinished {
        let Some(task) = next else { break };
        if seen.insert(task) && position > 0 && point.enabled.contains(task) {
            positions.push(position);
        }
        if point.enabled.iter().all(|task| seen.contains(task)) {
            return (positions, true);
        }
        copy.delay(task);
        next = copy.take(point.enabled);
    }
    (positions, false)
}

fn dispatch(scheduler: &mut dyn DelayingObject, point: &Point<'_>) -> Option<TaskId> {
    if !point.last_ended {
        scheduler.give(point.last, false);
    }
    scheduler.take(point.enabled)
}

/// Scheduler 3: tasks in the order of their creation, each running until it ends, blocks or is delayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundRobin {
    pending: Vec<TaskId>,
    next: usize,
}

impl Delaying for RoundRobin {
    fn reset(&mut self) {
        self.pending.clear();
        self.next = 0;
    }

    fn give(&mut self, task: TaskId, fresh: bool) {
        if fresh {
            self.pending.push(task);
        } else {
            self.pending.insert(self.next, task);
        }
    }

    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        let count = self.pending.len();
        for offset in 0..count {
            let index = (self.next + offset) % count;
            if enabled.contains(self.pending[index]) {
                self.next = index;
                return Some(self.pending.remove(index));
            }
        }
        None
    }

    fn delay(&mut self, task: TaskId) {
        self.pending.insert(self.next, task);
        self.next = (self.next + 1) % self.pending.len();
    }

    fn is_cyclic(&self) -> bool {
        true
    }

    fn is_steady(&self) -> bool {
        true
    }
}

/// Scheduler 4: what a task has spawned runs before anything older; delayed tasks wait for the next round.
///
/// It does not look at enabledness: an execution in which a blocked task comes up is discarded. This is the scheduler
/// that sequentialization encodes. For searching programs that block, use [`SkippingDepthFirst`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DepthFirst {
    stacks: Stacks,
}

/// Scheduler 4 made non-blocking: `take` passes over blocked tasks, which keep their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippingDepthFirst {
    stacks: Stacks,
}

/// The three stacks of Scheduler 4, tops last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stacks {
    /// Given since the last take.
    handler: Vec<TaskId>,
    /// To be taken in this round.
    round: Vec<TaskId>,
    /// Delayed to the next round.
    delayed: Vec<TaskId>,
    /// A fresh task was given since the last take: it will run first.
    fresh: bool,
}

impl Stacks {
    fn reset(&mut self) {
        self.handler.clear();
        self.round.clear();
        self.delayed.clear();
        self.fresh = false;
    }

    fn give(&mut self, task: TaskId, fresh: bool) {
        self.handler.push(task);
        self.fresh |= fresh;
    }

    fn begin_take(&mut self) {
        self.round.extend(self.handler.drain(..).rev());
        self.fresh = false;
    }

    fn next_round(&mut self) {
        self.round.extend(self.delayed.drain(..).rev());
    }
}

impl Delaying for DepthFirst {
    fn reset(&mut self) {
        self.stacks.reset();
    }

    fn give(&mut self, task: TaskId, fresh: bool) {
        self.stacks.give(task, fresh);
    }

    fn take(&mut self, _enabled: &TaskSet) -> Option<TaskId> {
        self.stacks.begin_take();
        if self.stacks.round.is_empty() {
            self.stacks.next_round();
        }
        self.stacks.round.pop()
    }

    fn delay(&mut self, task: TaskId) {
        self.stacks.delayed.push(task);
    }

    fn skips_blocked(&self) -> bool {
        false
    }

    fn is_cyclic(&self) -> bool {
        true
    }

    fn is_steady(&self) -> bool {
        !self.stacks.fresh
    }
}

impl Delaying for SkippingDepthFirst {
    fn reset(&mut self) {
        self.stacks.reset();
    }

    fn give(&mut self, task: TaskId, fresh: bool) {
        self.stacks.give(task, fresh);
    }

    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        self.stacks.begin_take();
        let found = |round: &[TaskId]| round.iter().rposition(|&task| enabled.contains(task));
        let index = found(&self.stacks.round).or_else(|| {
            self.stacks.next_round();
            found(&self.stacks.round)
        })?;
        Some(self.stacks.round.remove(index))
    }

    fn delay(&mut self, task: TaskId) {
        self.stacks.delayed.push(task);
    }

    fn is_cyclic(&self) -> bool {
        true
    }

    fn is_steady(&self) -> bool {
        // The task given back stands above all older ones, blocked or not.
        !self.stacks.fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn all(n: u32) -> TaskSet {
        (0..n).map(TaskId).collect()
    }

    /// The tasks that come up one after the other when each is delayed.
    fn order(scheduler: &mut dyn Delaying, enabled: &TaskSet, count: usize) -> Vec<u32> {
        let mut order = vec![];
        for _ in 0..count {
            let task = scheduler.take(enabled).expect("a task is enabled");
            order.push(task.0);
            scheduler.delay(task);
        }
        order
    }

    #[test]
    fn round_robin_goes_round_in_order_of_creation() {
        let mut scheduler = RoundRobin::default();
        for task in 0..3 {
            scheduler.give(TaskId(task), true);
        }
        assert_eq!(order(&mut scheduler, &all(3), 6), [0, 1, 2, 0, 1, 2]);
        let enabled: TaskSet = [TaskId(1), TaskId(2)].into_iter().collect();
        assert_eq!(order(&mut scheduler, &enabled, 4), [1, 2, 1, 2]);
    }

    #[test]
    fn depth_first_runs_children_in_order_before_their_parent() {
        let mut scheduler = DepthFirst::default();
        scheduler.give(TaskId(0), true);
        assert_eq!(scheduler.take(&all(3)), Some(TaskId(0)));
        scheduler.give(TaskId(1), true);
        scheduler.give(TaskId(2), true);
        scheduler.give(TaskId(0), false);
        assert_eq!(order(&mut scheduler, &all(3), 6), [1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn skipping_depth_first_keeps_the_places_of_blocked_tasks() {
        let mut scheduler = SkippingDepthFirst::default();
        for task in 0..3 {
            scheduler.give(TaskId(task), true);
        }
        let without_0: TaskSet = [TaskId(1), TaskId(2)].into_iter().collect();
        assert_eq!(scheduler.take(&without_0), Some(TaskId(1)));
        scheduler.give(TaskId(1), false);
        assert_eq!(scheduler.take(&all(3)), Some(TaskId(1)));
        scheduler.delay(TaskId(1));
        assert_eq!(scheduler.take(&all(3)), Some(TaskId(0)));
    }
}
