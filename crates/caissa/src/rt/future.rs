//! Async tasks: polling, waiting to be woken, being cancelled, and threads that several of them share.
//!
//! An async task is a task that polls its future; between two polls it waits at [`OpKind::Await`] until it is woken. Tasks of a
//! *local set* share a thread: a poll holds the set's object as it would hold a lock, and `Await` is disabled while another
//! poll does.

use caissa_core::class::Access;
use caissa_core::{Note, ObjectId, Op, OpKind, TaskId};

use super::awaited::What;
use super::clock::{Ended, Wait};
use super::waker::Polling;
use super::{Engine, Rt, Source};

/// What a task polled before it began to poll another future.
pub(crate) struct Outer {
    local_set: Option<usize>,
    may_have_local: bool,
}

impl Rt {
    /// Where a task was spawned.
    pub(crate) fn source_of(self, task: TaskId) -> Source {
        self.engine().tasks[task.index()].source
    }

    /// The running task begins to poll a future. Returns what [`Rt::leave_async`] needs.
    pub(crate) fn enter_async(self, local_set: Option<usize>, may_have_local: bool) -> Outer {
        let engine = self.engine();
        let me = engine.running;
        let waking = engine.wakings.of(me);
        let outer = Outer { local_set: waking.local_set, may_have_local: waking.may_have_local };
        waking.polled += 1;
        waking.polling.push(Polling { number: waking.polled, woken: false });
        waking.local_set = local_set;
        waking.may_have_local = may_have_local;
        if let Some(set) = local_set {
            engine.objects[set].queue.push(me);
        }
        outer
    }

    /// The running task has done with the innermost future.
    pub(crate) fn leave_async(self, outer: Outer) {
        let engine = self.engine();
        let waking = engine.wakings.of(engine.running);
        waking.polling.pop();
        waking.local_set = outer.local_set;
        waking.may_have_local = outer.may_have_local;
    }

    /// An async task is polled for the first time as soon as it is chosen.
    pub(crate) fn is_woken_at_start(self) {
        let engine = self.engine();
        engine.wakings.of(engine.running).set_innermost(true);
    }

    /// Waits until the running task has been woken and, in a local set, nobody else is being polled.
    pub(crate) fn await_wake(self, source: Source) {
        self.finish_wakes();
        self.leave_local_set();
        let engine = self.engine();
        let me = engine.running;
        let op = Op::new(OpKind::Await, ObjectId(me.0));
        let source = engine.awaits_at(me).unwrap_or(source);
        loop {
            let engine = self.engine();
            let deadline = engine.wakings.timers.first(me);
            match deadline {
                _ if engine.can_be_polled(me) => self.point(op, source),
                None => self.block(op, source),
                Some(deadline) => {
                    let expires = Op::new(OpKind::AwaitExpires, ObjectId(me.0));
                    let wait = Wait { op, deadline: Some(deadline), expires, wakes: None };
                    if self.wait_until(wait, source) == Ended::TimedOut {
                        self.fire_timers(deadline);
                        // Its thread may be in use; a task that has one of its own goes on at once.
                        self.engine().wakings.of(me).set_innermost(true);
                        if !self.engine().can_be_polled(me) {
                            continue;
                        }
                    }
                }
            }
            break;
        }
        let engine = self.engine();
        let waking = engine.wakings.of(me);
        waking.set_innermost(false);
        waking.trail.cloned_since_poll = false;
        let local_set = waking.local_set;
        self.touch_waking(me);
        self.engine().execution.take_wakes();
        if let Some(set) = local_set {
            self.engine().objects[set].holder = Some(me);
            self.engine().refresh_local_set(set);
            self.touch(set, Access::Write);
        }
    }

    /// Other tasks of the running task's local set may be polled.
    pub(crate) fn leave_local_set(self) {
        let engine = self.engine();
        let me = engine.running;
        if let Some(set) = engine.wakings.of(me).local_set
            && engine.objects[set].holder == Some(me)
        {
            engine.objects[set].holder = None;
            engine.refresh_local_set(set);
            engine.execution.release(set, Access::Write);
        }
    }

    /// The local set of the running task, which a `block_on` call gets when it needs one. `make`: makes its object.
    pub(crate) fn local_set(self, make: impl FnOnce() -> usize) -> Option<usize> {
        let engine = self.engine();
        let me = engine.running;
        let waking = engine.wakings.of(me);
        if waking.local_set.is_none() && waking.may_have_local {
            let set = make();
            let engine = self.engine();
            engine.objects[set].holder = Some(me);
            engine.objects[set].queue.push(me);
            engine.wakings.of(me).local_set = Some(set);
        }
        self.engine().wakings.of(me).local_set
    }

    /// The tasks of the running task's local set that have not ended, without itself.
    pub(crate) fn others_of_local_set(self) -> Vec<TaskId> {
        let engine = self.engine();
        let me = engine.running;
        let Some(set) = engine.wakings.of(me).local_set else { return Vec::new() };
        let members = engine.objects[set].queue.iter().copied();
        members.filter(|&task| task != me && !engine.execution.has_ended(task)).collect()
    }

    /// A task is to be cancelled when it is polled next. Part of the present step.
    pub(crate) fn cancel(self, task: TaskId) {
        let waking = self.engine().wakings.of(task);
        waking.aborted = true;
        // Its own future is the outermost.
        let own = waking.polling.first().map_or(0, |polling| polling.number);
        let tag = self.engine().execution.release_tag();
        self.set_woken(task, own, tag);
    }

    /// Cancels a task.
    pub(crate) fn abort(self, task: TaskId, source: Source) {
        self.point(Op::new(OpKind::Abort, ObjectId(task.0)), source);
        self.cancel(task);
    }

    /// Whether the running task has been cancelled.
    pub(crate) fn is_cancelled(self) -> bool {
        let engine = self.engine();
        engine.wakings.of(engine.running).aborted
    }

    /// The result of the running task is there; part of its last step.
    pub(crate) fn set_finished(self) {
        let engine = self.engine();
        engine.wakings.of(engine.running).finished = true;
    }

    /// Whether the result of an async task is there.
    pub(crate) fn poll_join(self, task: TaskId, source: Source) -> bool {
        self.point(Op::new(OpKind::PollJoin, ObjectId(task.0)), source);
        let engine = self.engine();
        let finished = engine.wakings.of(task).finished;
        engine.execution.note(|| Note::Tried(finished));
        if engine.execution.counts_classes() {
            let me = engine.execution.current();
            if finished {
                let past = *engine.execution.past(task);
                engine.execution.past_mut(me).join(&past);
            } else {
                engine.execution.past_mut(me).touch(&mut engine.tasks[task.index()].end_past, Access::Read);
            }
        }
        if finished {
            self.engine().execution.acquire_task(task);
            self.awaits_no_more(What::Task(task));
        } else {
            self.awaits(What::Task(task), source);
        }
        finished
    }
}

impl Engine {
    /// Whether a task that waits at `Await` can go on.
    pub(super) fn can_be_polled(&mut self, task: TaskId) -> bool {
        let waking = self.wakings.of(task);
        waking.is_woken() && waking.local_set.is_none_or(|set| self.objects[set].holder.is_none())
    }

    /// Enables and disables the tasks of a local set other than the running one, after it was entered or left.
    fn refresh_local_set(&mut self, set: usize) {
        for index in 0..self.objects[set].queue.len() {
            let task = self.objects[set].queue[index];
            if task == self.running
                || self.execution.has_ended(task)
                || self.execution.pending(task).0.kind != OpKind::Await
                || self.wakings.of(task).local_set != Some(set)
            {
                continue;
            }
            if self.can_be_polled(task) {
                self.execution.enable(task);
            } else {
                self.execution.disable(task);
            }
        }
    }
}
