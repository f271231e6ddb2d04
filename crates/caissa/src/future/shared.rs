//! What the async types are made of: a state that is changed in steps.
//!
//! Inside a check each step is one operation with one scheduling point before it, and the wake-ups that it causes are part of
//! it. Outside, a lock of std's makes it one. The state lives in the value itself, so the same code serves both, and whatever a
//! permit protects is protected wherever it is used.

use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use caissa_core::class::{Access, Mark};
use caissa_core::{Note, ObjectId, ObjectKind, Op, OpKind, Tag, TaskId};

use crate::rt::{self, Home, Rt, Source};

/// A state of an async type.
pub(super) trait State {
    /// Whether it is as it was made. If not, a value that outlives an execution was changed by it. Waiters of an earlier
    /// execution are forgotten.
    fn is_as_made(&mut self) -> bool;
}

/// A state that several tasks change, one step at a time.
#[derive(Debug)]
pub(super) struct Shared<S> {
    home: Home,
    kind: ObjectKind,
    state: Mutex<S>,
}

/// A step that is being taken.
pub(super) struct Step {
    inside: Option<(Rt, usize)>,
    source: Source,
    /// What is woken when the step is over.
    wakers: Vec<Waker>,
    /// What is dropped then: it may own futures, which use the state.
    spent: Vec<Waker>,
    /// The tasks that are woken, for traces.
    woke: Vec<TaskId>,
}

impl<S> Shared<S> {
    pub(super) const fn new(kind: ObjectKind, state: S) -> Shared<S> {
        Shared { home: Home::new(), kind, state: Mutex::new(state) }
    }

    /// As `new`, for values whose destructors others see: one that is made inside a check is an object of its execution from
    /// the start. So dropping it is a step, though nobody may have used it before.
    pub(super) fn made(kind: ObjectKind, state: S, source: Source) -> Shared<S> {
        let shared = Shared::new(kind, state);
        if let Some(rt) = rt::current() {
            shared.home.find(rt, kind, source, || false);
        }
        shared
    }

    fn lock(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, where nobody else can have it.
    pub(super) fn state_mut(&mut self) -> &mut S {
        self.home.mark_changed();
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present execution has changed what the state protects.
    pub(super) fn mark_changed(&self) {
        self.home.mark_changed();
        if let Some(rt) = rt::inside() {
            rt.changes_hidden();
        }
    }

    fn apply<R>(
        &self,
        inside: Option<(Rt, usize)>,
        source: Source,
        f: impl FnOnce(&mut S, &mut Step) -> R,
    ) -> R {
        let mut step = Step { inside, source, wakers: Vec::new(), spent: Vec::new(), woke: Vec::new() };
        let result = f(&mut self.lock(), &mut step);
        if let Some((rt, _)) = inside
            && !step.woke.is_empty()
        {
            rt.note(|| Note::Woke(std::mem::take(&mut step.woke)));
        }
        match inside {
            _ if step.wakers.is_empty() => {}
            Some((rt, _)) => rt.wake_within_step(step.wakers),
            None => step.wakers.into_iter().for_each(Waker::wake),
        }
        result
    }
}

impl<S: State> Shared<S> {
    /// The object of the present execution, if there is one.
    fn enter(&self, source: Source) -> Option<(Rt, usize)> {
        match rt::current() {
            Some(rt) => {
                let object = self.home.find(rt, self.kind, source, || !self.lock().is_as_made());
                Some((rt, object))
            }
            None => {
                self.home.touch_outside(self.kind, source);
                None
            }
        }
    }

    /// One step, with a point before it.
    pub(super) fn step<R>(&self, op: OpKind, source: Source, f: impl FnOnce(&mut S, &mut Step) -> R) -> R {
        let inside = self.enter(source);
        if let Some((rt, object)) = inside {
            rt.point(Op::new(op, ObjectId(object as u32)), source);
        }
        self.apply(inside, source, f)
    }

    /// As `step`, in a destructor: it takes place even if the execution ends at the point. It is no step of an execution that
    /// neither made the value nor has used it.
    pub(super) fn step_in_drop(&self, op: OpKind, source: Source, f: impl FnOnce(&mut S, &mut Step)) {
        let present = rt::current().and_then(|rt| Some((rt, self.home.find_present(rt)?)));
        match present {
            Some((rt, object)) => {
                rt.point_then(Op::new(op, ObjectId(object as u32)), source, || {
                    self.apply(present, source, f);
                });
            }
            None => {
                if rt::current().is_none() {
                    // Destructors cannot panic: a running check that it belongs to is told.
                    self.home.misuse_elsewhere(self.kind, source);
                }
                self.apply(None, source, f);
            }
        }
    }

    /// A part of the running task's present step: what others cannot tell apart from its last operation.
    pub(super) fn glued<R>(&self, source: Source, f: impl FnOnce(&mut S, &mut Step) -> R) -> R {
        let inside = self.enter(source);
        self.apply(inside, source, f)
    }

    /// As `glued`, in a destructor.
    pub(super) fn glued_in_drop(&self, f: impl FnOnce(&mut S, &mut Step)) {
        let present = rt::current().and_then(|rt| Some((rt, self.home.find_present(rt)?)));
        self.apply(present, Location::caller(), f);
    }
}

impl Step {
    /// The step only looks.
    pub(super) fn reads(&self) {
        if let Some((rt, object)) = self.inside {
            rt.touch(object, Access::Read);
        }
    }

    /// The step changes the state.
    pub(super) fn writes(&self) {
        if let Some((rt, object)) = self.inside {
            rt.touch(object, Access::Write);
        }
    }

    /// The step changes something that traces do not show.
    pub(super) fn hides(&self) {
        if let Some((rt, _)) = self.inside {
            rt.changes_hidden();
        }
    }

    /// Names this step in the causal pasts of tasks, once it `writes`.
    pub(super) fn mark(&self) -> (Mark, Tag) {
        let Some((rt, object)) = self.inside else { return Default::default() };
        let execution = &mut rt.engine().execution;
        (execution.last_write(object), execution.release_tag())
    }

    /// The step comes after the one of this mark, and after nothing else on its object.
    pub(super) fn comes_after(&self, (mark, tag): (Mark, Tag)) {
        if let Some((rt, _)) = self.inside {
            let engine = rt.engine();
            engine.execution.acquire_tag(tag);
            if engine.execution.counts_classes() {
                let me = engine.execution.current();
                engine.execution.past_mut(me).follow(mark);
            }
        }
    }

    pub(super) fn note(&self, note: impl FnOnce() -> Note) {
        if let Some((rt, _)) = self.inside {
            rt.note(note);
        }
    }

    pub(super) fn tried(&self, succeeded: bool) {
        self.note(|| Note::Tried(succeeded));
    }

    /// Wakes a task's waker at the end of the step.
    pub(super) fn wake(&mut self, waker: Waker, task: Option<TaskId>) {
        self.wakers.push(waker);
        self.woke.extend(task);
    }

    /// Drops at the end of the step.
    pub(super) fn drop_later(&mut self, waker: Waker) {
        self.spent.push(waker);
    }

    /// A waker of the running task has been left behind.
    pub(super) fn awaits(&self, ticket: u64) {
        if let Some((rt, object)) = self.inside {
            rt.awaits_object(object, ticket, self.source);
        }
    }

    /// A waker that was left behind is used or gone.
    pub(super) fn awaits_no_more(&self, ticket: u64) {
        if let Some((rt, object)) = self.inside {
            rt.awaits_object_no_more(object, ticket);
        }
    }

    /// The running task.
    pub(super) fn task(&self) -> Option<TaskId> {
        self.inside.map(|(rt, _)| rt.current())
    }

    /// For reports: a task holds the object from now on.
    pub(super) fn hold(&self, task: Option<TaskId>) {
        if let (Some((rt, object)), Some(task)) = (self.inside, task) {
            rt.engine().objects[object].queue.push(task);
        }
    }

    /// For reports: a holder is one no more, the running task if it is one.
    pub(super) fn release(&self) {
        if let Some((rt, object)) = self.inside {
            let me = rt.current();
            let holders = &mut rt.engine().objects[object].queue;
            let index = holders.iter().position(|&task| task == me).unwrap_or(0);
            if index < holders.len() {
                holders.remove(index);
            }
        }
    }
}
