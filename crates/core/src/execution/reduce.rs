//! Leaving out executions that are equivalent to others (docs/soundness.md, "Equivalent executions").
//!
//! Five rules, each of which keeps for every class within the bound one execution that costs no more:
//! - A prefix whose class was explored is not branched over again ([`Seen`]).
//! - A choice whose first step leads to such a prefix, or to one that another choice will lead to at no greater cost, is not
//!   noted. That can be said beforehand where it is known what the step touches.
//! - A step that commutes with everything is taken at once where all choices are free. Where leaving a task costs
//!   something, a task is not left before such a step: it may as well be left after it.
//! - A task that comes on only to join tasks which have ended can be left free of charge, since it could have joined them when it
//!   comes on next; so it may as well join them as soon as nobody else has the turn.
//! - A task that was left at a cost is not come back to at a cost while nothing has touched what it is about to touch: it
//!   could have taken that step before it was left.
//!
//! Joins and spawns commute with everything only as long as nothing that others can see is done between two points, as part of
//! the step before ([`Execution::expect_side_effects`]), and ends as long as no task asks for them ([`Execution::end_unasked`]).
//!
//! For preemptions and for unbounded search. What tasks share outside our types is not part of a class.

use super::Execution;
use crate::class::{Mark, mix};
use crate::guide::default_task;
use crate::job::Cost;
use crate::op::OpKind;
use crate::task::TaskId;

impl Execution {
    /// Where nothing has been decided yet: the task to go on with, if no other need be tried. Otherwise tells the walk which
    /// options lead to nothing new. `charged`: leaving the task that took the last step costs something.
    #[inline(never)]
    pub(super) fn reduce(&mut self, charged: bool) -> Option<TaskId> {
        self.walk.skip.clear();
        if !self.walk.is_on_new_ground() {
            return None;
        }
        let default = default_task(self.current, charged, &self.enabled);
        let free = self.walk.cost() == Cost::Free;
        let joins = self.pending[default.index()].op.kind == OpKind::Join && !self.side_effects;
        if if charged || free { self.commutes(default) } else { joins } {
            return Some(default);
        }
        if !free && !self.walk.keeps_deferred() {
            // Nothing is kept beyond the last bound: looking up costs more than it saves.
            return None;
        }
        let class = self.class_so_far();
        let last = if self.walk.only_joined { None } else { Some(self.current) };
        if !self.seen.insert(self.key(class, last, self.walk.left)) {
            self.walk.set_redundant();
            return None;
        }
        let charged = charged && !free;
        if charged && let Some(left) = self.walk.left {
            self.walk.skip.insert(left);
        }
        self.skip_planned(class, default, charged);
        None
    }

    /// Finds the options other than the default whose first step leads to a prefix that is or will be explored.
    fn skip_planned(&mut self, class: Mark, default: TaskId, charged: bool) {
        let cost = self.walk.spent + charged as u32;
        let mut enabled = core::mem::take(&mut self.enabled);
        for task in &enabled {
            if task == default || self.walk.skip.contains(task) {
                continue;
            }
            if let Some(next) = self.preview(class, task, charged)
                && (self.seen.contains(next) || !self.plan(next, cost))
            {
                self.walk.skip.insert(task);
            }
        }
        core::mem::swap(&mut self.enabled, &mut enabled);
    }

    /// A choice will lead to this prefix at this cost. False if another one will at no greater cost.
    fn plan(&mut self, prefix: Mark, cost: u32) -> bool {
        let at = |cost: u32| prefix.plus(Mark(0, mix(cost as u64 + 0x1_0000_0000)));
        !(0..=cost).any(|cost| self.planned.contains(at(cost))) && self.planned.insert(at(cost))
    }

    /// The key of the prefix after one more step of `task`, if it is known what the step touches.
    fn preview(&self, class: Mark, task: TaskId, charged: bool) -> Option<Mark> {
        let op = self.pending[task.index()].op;
        let access = op.kind.known_access()?;
        let before = self.tasks[task.index()].past;
        let (mut past, mut object) = (before, *self.pasts.get(op.object.0 as usize)?);
        past.touch(&mut object, access);
        let left = charged.then_some(self.current);
        let left = left.filter(|left| op.is_independent_of(self.pending[left.index()].op));
        Some(self.key(class.minus(before.share()).plus(past.share()), Some(task), left))
    }

    /// What names a prefix: its class and, where choices cost something, who took the last step, and whom it is pointless to
    /// come back to.
    fn key(&self, class: Mark, last: Option<TaskId>, left: Option<TaskId>) -> Mark {
        if self.walk.cost() == Cost::Free {
            return class;
        }
        // By names that do not depend on the order of spawns, as classes do not.
        let name = |task: TaskId| self.tasks[task.index()].past.key();
        let [last, left] = [last, left].map(|task| mix(task.map_or(0, name)));
        class.plus(Mark(last, left))
    }

    /// Whether the pending operation of a task commutes with whatever other tasks may do from here on.
    fn commutes(&self, task: TaskId) -> bool {
        match self.pending[task.index()].op.kind {
            OpKind::Spawn | OpKind::Join => !self.side_effects,
            OpKind::End => {
                let task = &self.tasks[task.index()];
                task.unseen || task.unasked && !self.side_effects
            }
            _ => false,
        }
    }

    /// `task` takes the next step.
    pub(super) fn follow_step(&mut self, task: TaskId) {
        let joins = self.pending[task.index()].op.kind == OpKind::Join && !self.side_effects;
        self.walk.only_joined = joins && (task != self.current || self.walk.only_joined);
        self.follow_left(task);
    }

    /// `task` takes the next step: the task that was left is come back to, or something is touched that it is about to touch.
    fn follow_left(&mut self, task: TaskId) {
        if let Some(left) = self.walk.left {
            let (step, waiting) = (self.pending[task.index()].op, self.pending[left.index()].op);
            if task == left || !step.is_independent_of(waiting) {
                self.walk.left = None;
            }
        }
    }
}
