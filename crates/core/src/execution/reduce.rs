//! Leaving out executions that are equivalent to others (docs/soundness.md, "Equivalent executions").
//!
//! Five rules, each of which keeps for every class within the bound one execution that costs no more:
//! - A prefix whose class was explored is not branched over again ([`Seen`]).
//! - A choice whose first step leads to such a prefix, or to one that another choice will lead to at no greater cost, is not
//!   noted. That can be said beforehand where it is known what the step touches.
//! - A step that commutes with everything is taken at once where all choices are free. Where leaving a task costs
//!   something, a task is not left before such a step: it may as well be left after it.
//! - A task that has come on, only joined tasks that have ended, and cannot go on or would be left at a cost, need not have
//!   come on: it could have joined them when it comes on next.
//! - A task that was left at a cost is not come back to at a cost while nothing has touched what it is about to touch: it
//!   could have taken that step before it was left.
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
    /// options lead to nothing new.
    #[inline(never)]
    pub(super) fn reduce(&mut self, last_enabled: bool) -> Option<TaskId> {
        self.walk.skip.clear();
        if !self.walk.is_on_new_ground() {
            return None;
        }
        let default = default_task(self.current, last_enabled, &self.enabled);
        let free = self.walk.cost() == Cost::Free;
        if (last_enabled || free) && self.commutes(default) {
            return Some(default);
        }
        if self.walk.only_joined && !free {
            if last_enabled {
                return Some(default);
            }
            self.note_wait();
            self.walk.set_redundant();
            return None;
        }
        if !free && !self.walk.keeps_deferred() {
            // Nothing is kept beyond the last bound: looking up costs more than it saves.
            self.skip_waits(default, last_enabled);
            return None;
        }
        let class = self.class_so_far();
        if !self.seen.insert(self.key(class, self.current, self.walk.left)) {
            self.walk.set_redundant();
            return None;
        }
        let charged = last_enabled && !free;
        if charged && let Some(left) = self.walk.left {
            self.walk.skip.insert(left);
        }
        self.skip_waits(default, last_enabled);
        self.skip_planned(class, default, charged);
        None
    }

    /// Finds the options, the default among them where leaving it is free, that would only wait.
    fn skip_waits(&mut self, default: TaskId, last_enabled: bool) {
        for task in &self.enabled {
            if (task != default || !last_enabled) && self.would_only_wait(task) {
                self.walk.skip.insert(task);
            }
        }
    }

    /// Finds the options other than the default whose first step leads to a prefix that is or will be explored.
    fn skip_planned(&mut self, class: Mark, default: TaskId, charged: bool) {
        let mut enabled = core::mem::take(&mut self.enabled);
        for task in &enabled {
            if self.walk.skip.contains(task) {
                continue;
            }
            if task == default {
                continue;
            }
            if let Some(next) = self.preview(class, task, charged)
                && (self.seen.contains(next) || !self.planned.insert(next))
            {
                self.walk.skip.insert(task);
            }
        }
        core::mem::swap(&mut self.enabled, &mut enabled);
    }

    /// The running task has come on, joined others, and waits for the end of one more.
    fn note_wait(&mut self) {
        let op = self.pending[self.current.index()].op;
        if op.kind == OpKind::Join {
            let other = self.tasks[op.object.0 as usize].past.key();
            self.waits.insert(self.tasks[self.current.index()].past.share(), other);
        }
    }

    /// Whether it is known that a task that is about to join another would then wait for the end of one more, which has not
    /// ended. What a task does is fixed by its past.
    fn would_only_wait(&self, task: TaskId) -> bool {
        let op = self.pending[task.index()].op;
        if op.kind != OpKind::Join || self.walk.cost() == Cost::Free {
            return false;
        }
        let mut past = self.tasks[task.index()].past;
        past.join(&self.tasks[op.object.0 as usize].past);
        let other = self.waits.get(&past.share());
        other.is_some_and(|&key| self.tasks.iter().any(|task| task.past.key() == key && !task.ended))
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
        Some(self.key(class.minus(before.share()).plus(past.share()), task, left))
    }

    /// What names a prefix: its class and, where choices cost something, who took the last step, and whom it is pointless to
    /// come back to.
    fn key(&self, class: Mark, last: TaskId, left: Option<TaskId>) -> Mark {
        if self.walk.cost() == Cost::Free {
            return class;
        }
        let left = left.map_or(0, |task| task.0 as u64 + 1);
        class.plus(Mark(mix(last.0 as u64 + 1), mix(left)))
    }

    /// Whether the pending operation of a task commutes with whatever other tasks may do from here on.
    fn commutes(&self, task: TaskId) -> bool {
        match self.pending[task.index()].op.kind {
            OpKind::Spawn | OpKind::Join => true,
            OpKind::End => self.tasks[task.index()].unseen,
            _ => false,
        }
    }

    /// `task` takes the next step.
    pub(super) fn follow_step(&mut self, task: TaskId) {
        let joins = self.pending[task.index()].op.kind == OpKind::Join;
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
