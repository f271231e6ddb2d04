//! What atomics hand on, by their orderings, and fences; and what belongs to a task: its token, its wake-ups.

use super::{Clocks, Handed, Tag, Tags};
use crate::op::MemoryOrder;
use crate::task::TaskId;

fn acquires(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

impl Clocks {
    /// Reads an atomic.
    pub(crate) fn load(&mut self, task: TaskId, object: &Handed, order: MemoryOrder) {
        if acquires(order) {
            self.acquire_all(task, object.write);
            return;
        }
        let clock = self.tasks[task.index()];
        if clock.found_last != object.write {
            self.tasks[task.index()].found_last = object.write;
            // What the task knows anyway no fence has to tell it.
            let news = self.kept(object.write, |clocks, tag| !clocks.knows(task, tag.task, tag.epoch));
            let found = self.merged(clock.found, news);
            self.tasks[task.index()].found = found;
        }
    }

    /// Writes an atomic.
    pub(crate) fn store(&mut self, task: TaskId, object: &mut Handed, order: MemoryOrder) {
        object.write = if releases(order) {
            let tag = self.release(task);
            self.only(tag)
        } else {
            // A relaxed store hands on what the fence before it left.
            self.tasks[task.index()].fenced
        };
    }

    /// Reads and writes an atomic: whatever it handed on before, it hands on after (a release sequence).
    pub(crate) fn update(&mut self, task: TaskId, object: &mut Handed, order: MemoryOrder) {
        self.load(task, object, order);
        if releases(order) {
            let tag = self.release(task);
            // Having acquired all of it, this tag says everything.
            object.write = if acquires(order) { self.only(tag) } else { self.with(object.write, tag) };
        } else {
            let fenced = self.tasks[task.index()].fenced;
            object.write = self.merged(object.write, fenced);
        }
    }

    /// A fence.
    pub(crate) fn fence(&mut self, task: TaskId, order: MemoryOrder) {
        if acquires(order) {
            let found = self.tasks[task.index()].found;
            self.acquire_all(task, found);
            self.tasks[task.index()].found = Tags::NONE;
        }
        if releases(order) {
            let tag = self.release(task);
            let fenced = self.only(tag);
            self.tasks[task.index()].fenced = fenced;
        }
    }

    // ---- what belongs to a task ----

    /// A task's token hands this on.
    pub(crate) fn give_token(&mut self, owner: TaskId, tag: Tag) {
        let tags = self.with(self.tasks[owner.index()].token, tag);
        self.tasks[owner.index()].token = tags;
    }

    /// The task takes its token.
    pub(crate) fn take_token(&mut self, task: TaskId) {
        let token = core::mem::take(&mut self.tasks[task.index()].token);
        self.acquire_all(task, token);
    }

    /// Waking a task hands this on.
    pub(crate) fn give_wake(&mut self, woken: TaskId, tag: Tag) {
        let tags = self.with(self.tasks[woken.index()].wakes, tag);
        self.tasks[woken.index()].wakes = tags;
    }

    /// The task goes on because it was woken.
    pub(crate) fn take_wakes(&mut self, task: TaskId) {
        // They stay: one of several futures of the task may have been meant.
        let wakes = self.tasks[task.index()].wakes;
        self.acquire_all(task, wakes);
    }
}
