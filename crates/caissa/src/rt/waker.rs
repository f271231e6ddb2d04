//! Wakers, and when a wake-up takes effect.
//!
//! A waker sets a flag of its task, which lives here. That happens in one of two ways. Inside a step of one of our own async
//! types ([`Rt::wake_within_step`]) it is part of that step. Anywhere else it is a step of its own, which takes place just before
//! the next operation of the task that woke: what lies between is invisible to others, and wakers may be called while a lock
//! of std's is held, where no other task may run.

use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use caissa_core::class::{Access, Past};
use caissa_core::{ObjectId, ObjectKind, Op, OpKind, TaskId};

use super::awaited::{Awaited, Moment, Trail};
use super::object::{Stamp, misuse_elsewhere};
use super::timer::Timers;
use super::{Misuse, Rt};

/// What the engine knows of the async tasks of an execution.
#[derive(Default)]
pub(crate) struct Wakings {
    /// By task; shorter than the table of tasks if the last ones are no async tasks.
    pub(super) table: Vec<Waking>,
    /// Tasks that the running task has woken, each still to be a step.
    deferred: Vec<TaskId>,
    /// The task whose present step wakes others.
    within_step: Option<TaskId>,
    /// What async tasks have left their wakers with, in traced executions.
    pub(super) awaited: Vec<Awaited>,
    /// Timers that have not fired.
    pub(super) timers: Timers,
}

/// One async task.
#[derive(Default)]
pub(super) struct Waking {
    pub(super) woken: bool,
    pub(super) past: Past,
    /// How many `block_on` calls the task is in; an async task of its own counts as one.
    pub(super) depth: u32,
    /// The task is a `block_on` call that can have local tasks.
    pub(super) may_have_local: bool,
    pub(super) aborted: bool,
    pub(super) finished: bool,
    /// The local set that its polls hold, by its object.
    pub(super) local_set: Option<usize>,
    pub(super) trail: Trail,
}

impl Wakings {
    /// Forgets the last execution.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.deferred.clear();
        self.within_step = None;
        self.awaited.clear();
        self.timers.clear();
    }

    #[inline]
    pub(crate) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Whether a task polls a future of its own: then its end may wake others.
    pub(crate) fn is_async(&self, task: TaskId) -> bool {
        self.table.get(task.index()).is_some_and(|waking| waking.depth > 0)
    }

    pub(super) fn of(&mut self, task: TaskId) -> &mut Waking {
        if self.table.len() <= task.index() {
            self.table.resize_with(task.index() + 1, Waking::default);
        }
        &mut self.table[task.index()]
    }
}

/// What a waker points to.
struct Target {
    stamp: Stamp,
    task: TaskId,
}

impl Target {
    fn wake(&self) {
        match super::current() {
            // A waker that outlives its execution has nothing to wake.
            Some(rt) => {
                if rt.engine().stamp == self.stamp {
                    rt.wake(self.task);
                }
            }
            None => {
                let source = std::panic::Location::caller();
                let misuse = misuse_elsewhere(self.stamp, ObjectKind::Task, source);
                if matches!(misuse, Misuse::UsedFromOutside { .. }) {
                    panic!("{misuse}");
                }
            }
        }
    }

    /// Keeps what a traced execution does with its wakers.
    fn trail(&self, note: impl FnOnce(&mut Trail, Moment)) {
        let Some(rt) = super::current() else { return };
        let engine = rt.engine();
        if engine.stamp == self.stamp && engine.execution.is_traced() && engine.execution.ending().is_none() {
            let moment = rt.moment();
            note(&mut engine.wakings.of(self.task).trail, moment);
        }
    }
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone_raw, wake_raw, wake_by_ref_raw, drop_raw);

/// SAFETY (all four): the data of a waker with this table is a `Target` that an `Arc` gave out, one count for each waker.
unsafe fn clone_raw(data: *const ()) -> RawWaker {
    let target = data.cast::<Target>();
    // SAFETY: as above.
    unsafe { Arc::increment_strong_count(target) };
    // SAFETY: as above.
    unsafe { &*target }.trail(|trail, moment| {
        trail.alive += 1;
        trail.cloned = Some(moment);
        trail.cloned_since_poll = true;
    });
    RawWaker::new(data, &VTABLE)
}

unsafe fn wake_raw(data: *const ()) {
    // SAFETY: as above; this waker's count goes with it.
    let target = unsafe { Arc::from_raw(data.cast::<Target>()) };
    target.wake();
    target.trail(|trail, _| trail.alive -= 1);
}

unsafe fn wake_by_ref_raw(data: *const ()) {
    // SAFETY: as above.
    unsafe { &*data.cast::<Target>() }.wake();
}

unsafe fn drop_raw(data: *const ()) {
    // SAFETY: as above; this waker's count goes with it.
    let target = unsafe { Arc::from_raw(data.cast::<Target>()) };
    target.trail(|trail, moment| {
        trail.alive -= 1;
        trail.dropped = Some(moment);
    });
}

impl Rt {
    /// A waker of the running task.
    pub(crate) fn waker(self) -> Waker {
        let target = Target { stamp: self.engine().stamp, task: self.current() };
        let data = Arc::into_raw(Arc::new(target)).cast();
        // SAFETY: the table keeps the contract of wakers: its functions do what they say, and a `Target` can be used from
        // any thread.
        unsafe { Waker::from_raw(RawWaker::new(data, &VTABLE)) }
    }

    /// Wakes a task: within the present step, or as a step before the running task's next operation.
    fn wake(self, task: TaskId) {
        let engine = self.engine();
        if engine.execution.has_ended(task) {
            return;
        }
        if engine.wakings.within_step == Some(engine.running) || std::thread::panicking() {
            self.set_woken(task);
        } else {
            engine.wakings.deferred.push(task);
            engine.execution.stop_coasting();
        }
    }

    /// Wakes what these wakers belong to, as a part of the present step.
    pub(crate) fn wake_within_step(self, wakers: impl IntoIterator<Item = Waker>) {
        struct PutBack(Rt, Option<TaskId>);
        impl Drop for PutBack {
            fn drop(&mut self) {
                self.0.engine().wakings.within_step = self.1;
            }
        }
        let engine = self.engine();
        let before = engine.wakings.within_step.replace(engine.running);
        let _put_back = PutBack(self, before);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Takes the steps of wake-ups that have not been yet, before it is looked at whether the running task has to wait.
    #[inline]
    pub(crate) fn finish_wakes(self) {
        if self.engine().wakings.has_deferred() {
            self.flush_wakes();
        }
    }

    /// Takes the steps of wake-ups that have not been yet.
    #[cold]
    #[inline(never)]
    pub(crate) fn flush_wakes(self) {
        let wakes = std::mem::take(&mut self.engine().wakings.deferred);
        for task in wakes {
            if self.engine().execution.has_ended(task) {
                continue;
            }
            let source = self.moment().source;
            self.point(Op::new(OpKind::Wake, ObjectId(task.0)), source);
            self.set_woken(task);
        }
    }

    /// As `flush_wakes`, before an operation of which it was known whether it could take effect: other tasks may have run
    /// since. `otherwise`: what holds of operations that nothing of the kind can happen to.
    #[cold]
    #[inline(never)]
    pub(super) fn flush_wakes_before(self, op: Op, otherwise: bool) -> bool {
        self.flush_wakes();
        let engine = self.engine();
        match op.kind {
            OpKind::Join => engine.execution.has_ended(TaskId(op.object.0)),
            OpKind::Park => engine.tasks[engine.running.index()].token,
            OpKind::Await => engine.can_be_polled(engine.running),
            kind if kind.can_block() => engine.objects[op.object.0 as usize].allows(kind, engine.running),
            _ => otherwise,
        }
    }

    /// Wake-ups of a task that is about to end take effect with its last step.
    pub(crate) fn settle_wakes(self) {
        for task in std::mem::take(&mut self.engine().wakings.deferred) {
            if !self.engine().execution.has_ended(task) {
                self.set_woken(task);
            }
        }
    }

    /// The flag of a task is set by the present step.
    pub(super) fn set_woken(self, task: TaskId) {
        let engine = self.engine();
        engine.wakings.of(task).woken = true;
        let waits = engine.execution.pending(task).0.kind == OpKind::Await;
        if task != engine.running && waits && engine.can_be_polled(task) {
            engine.execution.enable(task);
        }
        self.touch_waking(task);
    }

    pub(super) fn touch_waking(self, owner: TaskId) {
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let me = engine.execution.current();
            engine.execution.past_mut(me).touch(&mut engine.wakings.of(owner).past, Access::Write);
        }
    }
}
