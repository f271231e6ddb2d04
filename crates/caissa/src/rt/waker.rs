//! Async tasks: wakers, waiting to be woken, and threads that several async tasks share.
//!
//! An async task is a task that polls its future; between two polls it waits at [`OpKind::Await`] until it is woken. Its
//! wakers set a flag that lives here. A wake-up takes effect in one of two ways. Inside a step of one of our own async types
//! ([`Rt::wake_within_step`]) it is part of that step. Anywhere else it is a step of its own, which takes place just before
//! the next operation of the task that woke: what lies between is invisible to others, and wakers may be called while a lock
//! of std's is held, where no other task may run.
//!
//! Tasks of a *local set* share a thread: a poll holds the set's object as it would hold a lock, and `Await` is disabled while
//! another poll does.
//!
//! Not seen: where in the source a waker is cloned, dropped or woken, because those functions do not know their callers. What
//! the task announced last, which a traced execution knows, stands for it.

use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use caissa_core::class::{Access, Past};
use caissa_core::{ObjectId, ObjectKind, Op, OpKind, Source, TaskId};

use super::clock::{Ended, Wait};
use super::object::{Stamp, misuse_elsewhere};
use super::timer::Timers;
use super::{Engine, Misuse, Rt};

/// What the engine knows of the async tasks of an execution.
#[derive(Default)]
pub(crate) struct Wakings {
    /// By task; shorter than the table of tasks if the last ones are no async tasks.
    table: Vec<Waking>,
    /// Tasks that the running task has woken, each still to be a step.
    deferred: Vec<TaskId>,
    /// The task whose present step wakes others.
    within_step: Option<TaskId>,
    /// What async tasks have left their wakers with, in traced executions.
    awaited: Vec<Awaited>,
    /// Timers that have not fired.
    pub(super) timers: Timers,
}

/// One async task.
#[derive(Default)]
struct Waking {
    woken: bool,
    past: Past,
    /// How many `block_on` calls the task is in; an async task of its own counts as one.
    depth: u32,
    /// The task is a `block_on` call that can have local tasks.
    may_have_local: bool,
    aborted: bool,
    finished: bool,
    /// The local set that its polls hold, by its object.
    local_set: Option<usize>,
    trail: Trail,
}

/// Something that a task waits for, and where.
struct Awaited {
    task: TaskId,
    what: What,
    source: Source,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A waiter of an object, by its ticket.
    Object(ObjectKind, usize, u64),
    /// The end of a task.
    Task(TaskId),
}

/// What has become of a task's wakers; kept in traced executions.
#[derive(Default)]
struct Trail {
    alive: i64,
    cloned: Option<Moment>,
    cloned_since_poll: bool,
    dropped: Option<Moment>,
}

/// Who did something, and what it had announced last.
#[derive(Clone)]
struct Moment {
    task: TaskId,
    after: Op,
    source: Source,
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

    fn of(&mut self, task: TaskId) -> &mut Waking {
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

    /// Where a task was spawned.
    pub(crate) fn source_of(self, task: TaskId) -> Source {
        self.engine().tasks[task.index()].source
    }

    fn moment(self) -> Moment {
        let engine = self.engine();
        let task = engine.running;
        let (after, source) = engine.execution.pending(task);
        Moment { task, after, source: source.unwrap_or(engine.tasks[task.index()].source) }
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
    fn set_woken(self, task: TaskId) {
        let engine = self.engine();
        engine.wakings.of(task).woken = true;
        let waits = engine.execution.pending(task).0.kind == OpKind::Await;
        if task != engine.running && waits && engine.can_be_polled(task) {
            engine.execution.enable(task);
        }
        self.touch_waking(task);
    }

    fn touch_waking(self, owner: TaskId) {
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let me = engine.execution.current();
            engine.execution.past_mut(me).touch(&mut engine.wakings.of(owner).past, Access::Write);
        }
    }

    /// The running task begins to poll a future. Returns what [`Rt::leave_async`] needs.
    pub(crate) fn enter_async(self, local_set: Option<usize>, may_have_local: bool) -> Outer {
        let engine = self.engine();
        let me = engine.running;
        let waking = engine.wakings.of(me);
        let outer = Outer {
            woken: waking.woken,
            local_set: waking.local_set,
            may_have_local: waking.may_have_local,
            nested: waking.depth > 0,
        };
        waking.depth += 1;
        waking.woken = false;
        waking.local_set = local_set;
        waking.may_have_local = may_have_local;
        if let Some(set) = local_set {
            engine.objects[set].queue.push(me);
        }
        outer
    }

    /// The running task has done with a future. What goes on polling an outer one may have been woken meanwhile.
    pub(crate) fn leave_async(self, outer: Outer) {
        let engine = self.engine();
        let waking = engine.wakings.of(engine.running);
        waking.depth -= 1;
        waking.woken = outer.nested || outer.woken;
        waking.local_set = outer.local_set;
        waking.may_have_local = outer.may_have_local;
    }

    /// An async task is polled for the first time as soon as it is chosen.
    pub(crate) fn is_woken_at_start(self) {
        let engine = self.engine();
        engine.wakings.of(engine.running).woken = true;
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
                        self.engine().wakings.of(me).woken = true;
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
        waking.woken = false;
        waking.trail.cloned_since_poll = false;
        let local_set = waking.local_set;
        self.touch_waking(me);
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
        if self.engine().execution.has_ended(task) {
            self.touch_waking(task);
        } else {
            self.engine().wakings.of(task).aborted = true;
            self.set_woken(task);
        }
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
        engine.execution.note(|| caissa_core::Note::Tried(finished));
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
            self.awaits_no_more(What::Task(task));
        } else {
            self.awaits(What::Task(task), source);
        }
        finished
    }

    /// A `JoinHandle` is not awaited any more.
    pub(crate) fn awaits_task_no_more(self, task: TaskId) {
        self.awaits_no_more(What::Task(task));
    }

    /// The running task has left a waker with an object.
    pub(crate) fn awaits_object(self, object: usize, ticket: u64, source: Source) {
        let kind = self.engine().objects[object].kind;
        self.awaits(What::Object(kind, object, ticket), source);
    }

    /// A waiter of an object was woken or is gone.
    pub(crate) fn awaits_object_no_more(self, object: usize, ticket: u64) {
        let kind = self.engine().objects[object].kind;
        self.awaits_no_more(What::Object(kind, object, ticket));
    }

    fn awaits(self, what: What, source: Source) {
        let engine = self.engine();
        if engine.execution.is_traced() && engine.execution.ending().is_none() {
            let task = engine.running;
            engine.wakings.awaited.retain(|awaited| awaited.what != what || awaited.task != task);
            engine.wakings.awaited.push(Awaited { task, what, source });
        }
    }

    fn awaits_no_more(self, what: What) {
        let engine = self.engine();
        if engine.execution.is_traced() && engine.execution.ending().is_none() {
            let me = engine.running;
            let own = |awaited: &Awaited| !matches!(what, What::Task(_)) || awaited.task == me;
            engine.wakings.awaited.retain(|awaited| awaited.what != what || !own(awaited));
        }
    }
}

/// What a task polled before it began to poll another future.
pub(crate) struct Outer {
    woken: bool,
    local_set: Option<usize>,
    may_have_local: bool,
    nested: bool,
}

impl Engine {
    /// Whether a task that waits at `Await` can go on.
    fn can_be_polled(&mut self, task: TaskId) -> bool {
        let waking = self.wakings.of(task);
        waking.woken && waking.local_set.is_none_or(|set| self.objects[set].holder.is_none())
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

    /// Where a task has left its waker with an object last.
    fn awaits_at(&self, task: TaskId) -> Option<Source> {
        let of_task = |awaited: &&Awaited| awaited.task == task && matches!(awaited.what, What::Object(..));
        self.wakings.awaited.iter().rfind(of_task).map(|awaited| awaited.source)
    }

    /// The tasks that would have to act before an async task is woken, where there is one thing it waits for.
    pub(super) fn awaits_tasks(&self, task: TaskId) -> Vec<TaskId> {
        let mut awaited = self.wakings.awaited.iter().filter(|awaited| awaited.task == task);
        match (awaited.next(), awaited.next()) {
            (Some(Awaited { what: What::Task(other), .. }), None) => vec![*other],
            (Some(Awaited { what: What::Object(_, object, _), .. }), None) => {
                let object = &self.objects[*object];
                object.holder.into_iter().chain(object.queue.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where the waker of a task is that waits to be woken for ever: a clause for reports, known in traced executions.
    pub(super) fn waker_words(&self, task: TaskId) -> Option<String> {
        let waits = self.execution.pending(task).0.kind == OpKind::Await;
        if self.execution.has_ended(task) || !waits || !self.execution.is_traced() {
            return None;
        }
        let waking = self.wakings.table.get(task.index())?;
        if waking.woken {
            let set = waking.local_set?;
            let holder = self.objects[set].holder?;
            return Some(format!("has been woken, but {holder} runs on the thread that they share"));
        }
        let held: Vec<String> = self
            .wakings
            .awaited
            .iter()
            .filter(|awaited| awaited.task == task)
            .map(|awaited| match awaited.what {
                What::Object(kind, object, _) => {
                    format!("{}#{object} (since {})", kind.word(), awaited.source)
                }
                What::Task(other) => format!("the join handle of {other} (spawned at {})", awaited.source),
            })
            .collect();
        let trail = &waking.trail;
        let did = |moment: &Moment| format!("{} after `{}` at {}", moment.task, moment.after, moment.source);
        Some(match (&held[..], &trail.cloned, &trail.dropped) {
            ([_, ..], ..) => format!("its waker is held by {} and nobody wakes it", held.join(", ")),
            ([], Some(cloned), _) if trail.alive > 0 => {
                format!("its waker was cloned by {} and is kept, but nobody wakes it", did(cloned))
            }
            ([], Some(_), Some(dropped)) if trail.cloned_since_poll => {
                format!("the last clone of its waker was dropped by {} without being woken", did(dropped))
            }
            _ => "its future was polled and kept no clone of its waker, so nobody can wake it".to_owned(),
        })
    }
}
