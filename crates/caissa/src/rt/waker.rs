//! Wakers, and when a wake-up takes effect.
//!
//! A waker sets a flag of its task, which lives here. That happens in one of two ways. Inside a step of one of our own async
//! types ([`Rt::wake_within_step`]) it is part of that step. Anywhere else it is a step of its own, which takes place just before
//! the next operation of the task that woke: what lies between is invisible to others, and wakers may be called while a lock
//! of std's is held, where no other task may run.

use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use caissa_core::class::{Access, Past};
use caissa_core::{ObjectId, ObjectKind, Op, OpKind, Tag, TaskId};

use super::awaited::{Awaited, Moment, Trail};
use super::object::{Stamp, misuse_elsewhere};
use super::timer::Timers;
use super::{Misuse, Rt};

/// What the engine knows of the async tasks of an execution.
#[derive(Default)]
pub(crate) struct Wakings {
    /// By task; shorter than the table of tasks if the last ones are no async tasks.
    pub(super) table: Vec<Waking>,
    /// Futures that the running task has woken, by task and number, each still to be a step.
    deferred: Vec<(TaskId, u32, Tag)>,
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
    /// The futures that it polls, the innermost last: one of its own, and one for each `block_on` call that it is in. A flag
    /// belongs to one of them and is set by wake-ups and cleared by `Await` only, so that classes know of every change.
    pub(super) polling: Vec<Polling>,
    /// How many it has polled so far.
    pub(super) polled: u32,
    pub(super) past: Past,
    /// The task is a `block_on` call that can have local tasks.
    pub(super) may_have_local: bool,
    pub(super) aborted: bool,
    pub(super) finished: bool,
    /// The local set that its polls hold, by its object.
    pub(super) local_set: Option<usize>,
    pub(super) trail: Trail,
}

/// A future that a task polls.
pub(super) struct Polling {
    pub(super) number: u32,
    pub(super) woken: bool,
}

impl Waking {
    /// Whether the innermost future is to be polled.
    pub(super) fn is_woken(&self) -> bool {
        self.polling.last().is_some_and(|polling| polling.woken)
    }

    /// Whether the innermost future is to be polled, from now on.
    pub(super) fn set_innermost(&mut self, woken: bool) {
        if let Some(polling) = self.polling.last_mut() {
            polling.woken = woken;
        }
    }
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
        self.table.get(task.index()).is_some_and(|waking| !waking.polling.is_empty())
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
    /// Which of the task's futures.
    future: u32,
}

impl Target {
    fn wake(&self) {
        match super::current() {
            // A waker that outlives its execution has nothing to wake.
            Some(rt) => {
                if rt.engine().stamp == self.stamp {
                    rt.wake(self.task, self.future);
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
    /// A waker of the future that the running task polls.
    pub(crate) fn waker(self) -> Waker {
        let engine = self.engine();
        let task = engine.running;
        let future = engine.wakings.of(task).polled;
        let data = Arc::into_raw(Arc::new(Target { stamp: engine.stamp, task, future })).cast();
        // SAFETY: the table keeps the contract of wakers: its functions do what they say, and a `Target` can be used from
        // any thread.
        unsafe { Waker::from_raw(RawWaker::new(data, &VTABLE)) }
    }

    /// Wakes a future of a task: within the present step, or as a step before the running task's next operation. That is a
    /// step also if there is nothing left to be woken, so that nobody sees whether there is.
    fn wake(self, task: TaskId, future: u32) {
        let engine = self.engine();
        if engine.wakings.within_step == Some(engine.running) || std::thread::panicking() {
            let tag = engine.execution.release_tag();
            self.set_woken(task, future, tag);
        } else {
            let tag = engine.execution.release_tag();
            engine.wakings.deferred.push((task, future, tag));
            engine.heeds = true;
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
        for (task, future, tag) in wakes {
            let source = self.moment().source;
            self.point(Op::new(OpKind::Wake, ObjectId(task.0)), source);
            self.set_woken(task, future, tag);
            if task == self.current() {
                // A future that wakes its own task asks to be polled again: it polls something.
                self.yields();
            }
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
            // Coming to wait can always be; it is looked then.
            OpKind::RecvUntil => otherwise,
            OpKind::Await => engine.can_be_polled(engine.running),
            kind if kind.can_block() => engine.objects[op.object.0 as usize].allows(kind, engine.running),
            _ => otherwise,
        }
    }

    /// Wake-ups of a task that is about to end take effect with its last step.
    #[inline]
    pub(crate) fn settle_wakes(self) {
        if self.engine().wakings.has_deferred() {
            self.settle_all_wakes();
        }
    }

    #[cold]
    fn settle_all_wakes(self) {
        for (task, future, tag) in std::mem::take(&mut self.engine().wakings.deferred) {
            self.set_woken(task, future, tag);
        }
    }

    /// The flag of a task's future is set by the present step, if the task still polls it. `tag`: what whoever wakes it hands on.
    pub(super) fn set_woken(self, task: TaskId, future: u32, tag: Tag) {
        let engine = self.engine();
        let waking = engine.wakings.of(task);
        if let Some(polling) = waking.polling.iter_mut().find(|polling| polling.number == future) {
            polling.woken = true;
        }
        let waits = engine.execution.pending(task).0.kind == OpKind::Await;
        if task != engine.running && waits && !engine.execution.has_ended(task) && engine.can_be_polled(task)
        {
            engine.execution.enable(task);
        }
        engine.execution.give_wake(task, tag);
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
