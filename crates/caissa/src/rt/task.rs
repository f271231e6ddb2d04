//! Tasks: creation, end, join, park.

use std::any::Any;
use std::collections::HashMap;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use caissa_core::class::{Access, Mark, Past};
use caissa_core::{Ending, Next, Note, ObjectId, Op, OpKind, Tag, TaskId, TaskSet};

use super::clock::{Ended, Polling, Wait};
use super::sealing::Held;
use super::seat::{Entry, Run};
use super::switch::{StackPointer, switch};
use super::{AbortToken, Rt, Source};

/// What the engine knows of a task.
pub(crate) struct TaskInfo {
    /// Where it goes on, while it does not run.
    pub(crate) stack: StackPointer,
    pub(crate) seat: usize,
    /// It looks itself whether the execution is over, when it goes on: nothing is thrown at it.
    pub(crate) quiet: bool,
    /// Where it was spawned.
    pub(crate) source: Source,
    pub(crate) name: Option<Arc<str>>,
    /// The task has entered its closure and its stack may have to be unwound.
    pub(crate) begun: bool,
    pub(crate) abandoned: bool,
    /// While an aborted execution is unwound: a destructor of this task waits for another task.
    pub(crate) stalled: bool,
    /// The task that waits for the scope in which this one was spawned.
    pub(crate) scope_owner: Option<TaskId>,
    /// Tasks that wait for this one to end.
    pub(crate) joiners: TaskSet,
    /// What has asked whether this task has ended.
    pub(crate) end_past: Past,
    /// Hash of the operation that woke this task last: a notification, the last arrival at a barrier.
    pub(crate) woken_by: Mark,
    /// What that operation hands on, where it orders this task after it.
    pub(crate) woken_tag: Tag,
    /// The token of park and unpark.
    pub(crate) token: bool,
    pub(crate) token_past: Past,
    /// The mutex that this task will want when its condvar is notified.
    pub(crate) wants: usize,
    /// The deadline of the last wait at a condvar.
    pub(crate) waited_until: u64,
    /// How this task watches the clock.
    pub(crate) polling: Polling,
    /// Scope to tell when this task ends, by its object.
    pub(crate) scope: Option<usize>,
    /// The task whose panic this one got from a join last.
    pub(crate) got_panic_of: Option<TaskId>,
    /// Thread-local values, if there are any.
    pub(crate) locals: Option<Box<Locals>>,
    /// Guards that say where it may be preempted.
    pub(crate) held: Held,
}

/// Thread-local values of a task, by the address of their key.
#[derive(Default)]
pub(crate) struct Locals {
    pub(crate) values: HashMap<usize, Box<dyn Any>>,
    /// In the order of their creation.
    pub(crate) order: Vec<usize>,
    /// Values that have been destroyed.
    pub(crate) destroyed: Vec<usize>,
}

impl TaskInfo {
    pub(crate) fn new(source: Source) -> TaskInfo {
        TaskInfo {
            stack: StackPointer::NONE,
            seat: 0,
            quiet: false,
            source,
            name: None,
            begun: false,
            abandoned: false,
            stalled: false,
            scope_owner: None,
            joiners: TaskSet::new(),
            end_past: Past::default(),
            woken_by: Mark::default(),
            woken_tag: Tag::default(),
            token: false,
            token_past: Past::default(),
            wants: 0,
            waited_until: 0,
            polling: Polling::default(),
            scope: None,
            got_panic_of: None,
            locals: None,
            held: Held::default(),
        }
    }

    /// Whether there is something on its stack that is still to be run or unwound.
    pub(crate) fn is_on_its_seat(&self) -> bool {
        self.begun && !self.abandoned
    }

    /// Makes a used entry of the table new again and keeps its memory.
    pub(crate) fn reset(&mut self, source: Source) {
        self.source = source;
        self.quiet = false;
        self.name = None;
        self.begun = false;
        self.abandoned = false;
        self.stalled = false;
        self.scope_owner = None;
        self.joiners.clear();
        self.end_past = Past::default();
        self.woken_by = Mark::default();
        self.woken_tag = Tag::default();
        self.token = false;
        self.token_past = Past::default();
        self.polling = Polling::default();
        self.scope = None;
        self.got_panic_of = None;
        self.held = Held::default();
        // A task has none left when it ends; destructors must not run here, inside the engine.
        std::mem::forget(self.locals.take().filter(|locals| !locals.values.is_empty()));
    }
}

/// What a task's hash absorbs when the task drops its result.
const DROPS_RESULT: u64 = 0x4452_4f50;

impl Rt {
    /// Creates a task; it runs to its first operation before this returns.
    pub(crate) fn spawn(
        self,
        name: Option<Arc<str>>,
        scope: Option<(usize, TaskId)>,
        entry: Entry,
        source: Source,
    ) -> TaskId {
        // Its number is known only when it is made: others may spawn at the point.
        self.point(Op::new(OpKind::Spawn, ObjectId(self.current().0)), source);
        let engine = self.engine();
        if std::thread::panicking() {
            // No other task can run while this one unwinds.
            drop(entry);
            self.abandon();
        }
        let seat = match engine.take_seat() {
            Ok(seat) => seat,
            Err(misuse) => self.misuse(misuse),
        };
        let engine = self.engine();
        let parent = engine.running;
        let child = engine.execution.spawn();
        engine.execution.note(|| Note::Spawned(child));
        let info = engine.new_task(child, source);
        info.seat = seat;
        info.name = name;
        info.scope = scope.map(|(object, _)| object);
        info.scope_owner = scope.map(|(_, owner)| owner);
        if let Some((scope, _)) = scope {
            engine.objects[scope].count += 1;
            engine.execution.touch_by(parent, scope, Access::Read);
        }
        let engine = self.engine();
        let stack = engine.seats[seat].begin(entry);
        engine.tasks[child.index()].stack = stack;
        engine.running = child;
        // SAFETY: the stack is a fresh one.
        unsafe { switch(&mut engine.tasks[parent.index()].stack, stack) };
        child
    }

    /// The whole life of a task on its seat.
    pub(crate) fn run_task(self) -> ! {
        let engine = self.engine();
        let info = &mut engine.tasks[engine.running.index()];
        info.begun = true;
        // The seat keeps it until the task has ended.
        let entry: *const dyn Run =
            &**engine.seats[info.seat].entry.as_ref().expect("a task has something to run");
        let run = || -> Infallible {
            // SAFETY: as said.
            unsafe { &*entry }.run();
            self.finish_task()
        };
        let Err(payload) = catch_unwind(AssertUnwindSafe(run));
        if self.task_panicked(payload.as_ref()) {
            drop_quietly(payload);
        } else {
            // SAFETY: as above.
            unsafe { &*entry }.fail(payload);
        }
        // Nothing catches what a point would throw from here on.
        self.settle_wakes();
        self.finish_task()
    }

    /// The closure of the running task has ended; nothing on its stack is left to be dropped.
    pub(crate) fn finish_task(self) -> ! {
        self.finish_wakes();
        let me = self.engine().running;
        self.drop_locals(me);
        if self.engine().execution.ending().is_none() {
            self.point_at_end(me);
        }
        let engine = self.engine();
        let seat = engine.tasks[me.index()].seat;
        let entry = engine.seats[seat].entry.take().expect("kept until here");
        if engine.wakings.is_async(me)
            && engine.execution.ending().is_none()
            && let Err(payload) = catch_unwind(AssertUnwindSafe(|| entry.ended()))
        {
            self.task_panicked(payload.as_ref());
            drop_quietly(payload);
        }
        let engine = self.engine();
        // Results of threads that have to be dropped were announced.
        let may_drop = engine.execution.has_side_effects() || engine.wakings.is_async(me);
        if may_drop && engine.execution.counts_classes() && entry.drops_result(Arc::strong_count(&entry)) {
            // Otherwise the step is like one that leaves the result to others.
            engine.execution.past_mut(me).absorb(DROPS_RESULT);
        }
        // The result goes with its last owner: this task, if nobody can join it any more. A thread outside may be dropping the
        // handle at this moment, so it is not known before.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(entry))) {
            self.task_panicked(payload.as_ref());
            drop_quietly(payload);
        }
        // Its destructor may have made new ones.
        self.drop_locals(me);
        let engine = self.engine();
        // That the task has ended is not seen before the next choice.
        let over = engine.execution.ending().is_some() || !self.observe();
        let engine = self.engine();
        engine.tasks[me.index()].begun = false;
        engine.free_seats.push(seat);
        if over {
            self.vanish(engine.turn_to_root().to);
        }
        if engine.execution.counts_classes() {
            engine.execution.past_mut(me).touch(&mut engine.tasks[me.index()].end_past, Access::Write);
        }
        for joiner in &engine.tasks[me.index()].joiners {
            engine.execution.enable(joiner);
        }
        if let Some(scope) = engine.tasks[me.index()].scope {
            engine.objects[scope].count -= 1;
            self.touch(scope, Access::Read);
            self.engine().refresh(scope);
        }
        let engine = self.engine();
        let to = match engine.execution.end_task() {
            Next::Switch(task) => engine.aim(task),
            Next::Stay | Next::End => engine.turn_to_root().to,
        };
        self.vanish(to)
    }

    /// Goes on with another stack and leaves this one for good.
    fn vanish(self, to: StackPointer) -> ! {
        let mut nowhere = StackPointer::NONE;
        // SAFETY: the engine named it; nothing comes back to this stack.
        unsafe { switch(&mut nowhere, to) };
        unreachable!("nothing comes back to the stack of a task that has ended")
    }

    /// The point before a task's end. It does not throw when the execution is over, since nothing is left to unwind.
    #[inline(always)]
    fn point_at_end(self, me: TaskId) {
        let engine = self.engine();
        if engine.execution.coast() {
            return;
        }
        self.settle_wakes();
        let engine = self.engine();
        let info = &mut engine.tasks[me.index()];
        info.quiet = true;
        let source = info.source;
        if !info.joiners.is_empty() {
            engine.execution.end_unseen();
        } else if engine.execution.reduces()
            && let Some(entry) =
                engine.seats[info.seat].entry.as_ref().filter(|entry| entry.is_its_own_handle())
        {
            if Arc::strong_count(entry) > 1 {
                if engine.settings.reliance.rely_on_ends() {
                    engine.execution.end_unasked();
                }
            } else if !entry.drops_result(1) {
                engine.execution.end_unseen();
            }
        }
        self.announce(Op::new(OpKind::End, ObjectId(me.0)), source, true);
        // What is dropped from here on is code of the program's again.
        self.engine().tasks[me.index()].quiet = false;
    }

    /// Destroys this task's thread-local values, the youngest first; they may use others, even new ones.
    #[inline]
    fn drop_locals(self, me: TaskId) {
        if self.engine().tasks[me.index()].locals.is_some() {
            self.drop_all_locals(me);
        }
    }

    fn drop_all_locals(self, me: TaskId) {
        loop {
            let Some(locals) = &mut self.engine().tasks[me.index()].locals else { return };
            let Some(key) = locals.order.pop() else { return };
            let value = locals.values.remove(&key);
            locals.destroyed.push(key);
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(value)));
            if let Err(payload) = dropped {
                self.task_panicked(payload.as_ref());
                drop_quietly(payload);
            }
        }
    }

    /// The closure of the running task has panicked. True if it is an abort and not a panic of the program.
    pub(crate) fn task_panicked(self, payload: &(dyn Any + Send)) -> bool {
        let engine = self.engine();
        if payload.is::<AbortToken>() || engine.aborting {
            return true;
        }
        let me = engine.running;
        let note = engine.panic_note(Some(super::panics::message(payload)));
        engine.execution.panicked(note);
        if me == TaskId::MAIN {
            engine.execution.end(Ending::Panicked);
            // Nothing that is left of the program, such as destructors of thread-locals, runs as part of the execution.
            engine.aborting = true;
        }
        false
    }

    /// The closure of a scope has panicked; until the scope's tasks have ended, that is what is wrong with this task.
    pub(crate) fn scope_panicked(self, payload: &(dyn Any + Send)) {
        let engine = self.engine();
        let seen = engine.seen_panics.clone();
        let note = engine.panic_note(Some(super::panics::message(payload)));
        engine.seen_panics = seen;
        engine.execution.panicked(note);
    }

    /// The scope's tasks have ended and its panic goes on: whoever gets it will say what it is.
    pub(crate) fn scope_goes_on_unwinding(self) {
        let engine = self.engine();
        engine.execution.retract_panic(engine.running);
    }

    /// A scope panics for those of its tasks that have panicked and were not joined.
    pub(crate) fn pass_on_panics_of_scope(self, scope: usize) {
        let engine = self.engine();
        let panics: Vec<TaskId> = engine.execution.panics().iter().map(|note| note.task).collect();
        for task in panics.into_iter().rev() {
            if engine.tasks[task.index()].scope == Some(scope) {
                self.pass_on_panic(task);
            }
        }
    }

    /// Waits for a task to end.
    #[inline]
    pub(crate) fn join(self, task: TaskId, source: Source) {
        let op = Op::new(OpKind::Join, ObjectId(task.0));
        let engine = self.engine();
        if engine.execution.has_ended(task) {
            self.point(op, source);
        } else {
            let me = engine.running;
            engine.tasks[task.index()].joiners.insert(me);
            self.block(op, source);
        }
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let past = *engine.execution.past(task);
            let me = engine.execution.current();
            engine.execution.past_mut(me).join(&past);
        }
        engine.execution.acquire_task(task);
    }

    /// A task's result is of this type: whoever drops the handle of a task that has ended drops it.
    #[inline]
    pub(crate) fn result_is_dropped<T>(self) {
        if std::mem::needs_drop::<T>() {
            self.engine().execution.expect_side_effects();
        }
    }

    /// The handle of a task that was not joined is dropped: the result goes with it if the task has ended, else with the task.
    /// That whoever is last comes after the other shows as with any `Arc` (`data.rs`).
    pub(crate) fn drop_handle<T>(self, task: TaskId) {
        if !std::mem::needs_drop::<T>() {
            return;
        }
        let source = self.source_of(task);
        self.point_then(Op::new(OpKind::DropHandle, ObjectId(task.0)), source, || {
            let engine = self.engine();
            if engine.execution.counts_classes() {
                let me = engine.execution.current();
                engine.execution.past_mut(me).touch(&mut engine.tasks[task.index()].end_past, Access::Read);
            }
        });
    }

    /// Whether a task has ended.
    pub(crate) fn is_finished(self, task: TaskId, source: Source) -> bool {
        self.engine().settings.reliance.ask();
        self.point(Op::new(OpKind::IsFinished, ObjectId(task.0)), source);
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let me = engine.execution.current();
            engine.execution.past_mut(me).touch(&mut engine.tasks[task.index()].end_past, Access::Read);
        }
        let ended = engine.execution.has_ended(task);
        engine.execution.note(|| Note::Saw(ended.to_string()));
        ended
    }

    /// The running task has woken `task` by an operation on an object.
    pub(crate) fn woke(self, task: TaskId, object: usize) {
        let engine = self.engine();
        engine.tasks[task.index()].woken_by = engine.execution.last_write(object);
    }

    /// The running task goes on because it was woken.
    pub(crate) fn absorb_wake(self) {
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let me = engine.execution.current();
            let woken_by = engine.tasks[me.index()].woken_by;
            engine.execution.past_mut(me).follow(woken_by);
        }
    }

    /// The running task comes after what has woken it.
    pub(crate) fn acquire_wake(self) {
        let engine = self.engine();
        let tag = std::mem::take(&mut engine.tasks[engine.running.index()].woken_tag);
        engine.execution.acquire_tag(tag);
    }

    /// A join has handed out the panic of `task`.
    pub(crate) fn pass_on_panic(self, task: TaskId) {
        let engine = self.engine();
        engine.execution.consume_panic(task);
        let me = engine.running;
        engine.tasks[me.index()].got_panic_of = Some(task);
    }

    /// Waits for the running task's token, for some time or for ever, and takes it if it is there.
    pub(crate) fn park(self, timeout: Option<Duration>, source: Source) {
        let me = self.current();
        let op = |kind| Op::new(kind, ObjectId(me.0));
        let first = op(if timeout.is_some() { OpKind::ParkUntil } else { OpKind::Park });
        self.finish_wakes();
        // With a timeout, coming to wait is a step of its own.
        if timeout.is_some() || self.engine().tasks[me.index()].token {
            self.point(first, source);
        }
        if !self.engine().tasks[me.index()].token {
            let deadline = timeout.map(|timeout| self.deadline(timeout));
            let wait = Wait {
                op: first,
                deadline,
                expires: op(OpKind::ParkExpires),
                wakes: Some(op(OpKind::ParkWakes)),
            };
            let ended = self.wait_until(wait, source);
            if let (Ended::TimedOut, Some(deadline), false) =
                (ended, deadline, self.engine().tasks[me.index()].token)
            {
                self.advance(deadline);
            }
        }
        let engine = self.engine();
        if std::mem::take(&mut engine.tasks[me.index()].token) {
            engine.execution.take_token();
        }
        self.touch_token(me);
    }

    /// Makes the token of `task` available.
    pub(crate) fn unpark(self, task: TaskId, source: Source) {
        self.point(Op::new(OpKind::Unpark, ObjectId(task.0)), source);
        let engine = self.engine();
        engine.tasks[task.index()].token = true;
        engine.execution.give_token(task);
        let pending = engine.execution.pending(task).0.kind;
        if !engine.execution.has_ended(task) && matches!(pending, OpKind::Park | OpKind::ParkUntil) {
            engine.execution.enable(task);
        }
        self.touch_token(task);
    }

    fn touch_token(self, owner: TaskId) {
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let me = engine.execution.current();
            engine.execution.past_mut(me).touch(&mut engine.tasks[owner.index()].token_past, Access::Write);
        }
    }
}

/// Drops what a task panicked with; a panic of that destructor has nowhere to go.
pub(super) fn drop_quietly(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}
