//! The run time: runs a closure's tasks, each on a stack of its own, one at a time, under the core's control.
//!
//! Every operation of a drop-in type comes here first. [`Rt`] is the way in: a pointer to the engine of this OS thread,
//! there while a check runs on it. Outside a check there is none, and types behave as std's.

mod awaited;
pub(crate) mod callers;
pub(crate) mod clock;
pub(crate) mod data;
mod endless;
pub(crate) mod engine;
mod faults;
pub(crate) mod future;
mod guarded;
mod judging;
mod misuse;
pub(crate) mod monitor;
pub(crate) mod object;
pub(crate) mod once;
mod panics;
mod path;
pub(crate) mod recount;
mod reliance;
pub(crate) mod schedulers;
pub(crate) mod sealing;
pub(crate) mod seat;
mod stack;
mod states;
mod switch;
pub(crate) mod task;
pub(crate) mod timer;
pub(crate) mod waker;

use std::cell::Cell;
use std::ptr::NonNull;

pub(crate) use engine::Engine;
pub use misuse::Misuse;
pub(crate) use object::Home;
pub(crate) use states::{give_back, peek};

use caissa_core::class::Access;
use caissa_core::{Ending, Next, Note, Op, OpKind, TaskId};
use switch::{announce, switch};

/// Where in the program's source an operation stands. The core has a wider type for it; this one stays as the compiler has it on
/// the way there.
pub(crate) type Source = &'static std::panic::Location<'static>;

thread_local! {
    static ENGINE: Cell<*mut Engine> = const { Cell::new(std::ptr::null_mut()) };
}

/// The engine that runs the present task.
///
/// A check belongs to one OS thread at a time and all of its tasks run on that thread, so at any moment one task uses
/// the engine. References to it are short: none is held across a point, where another task may run.
#[derive(Clone, Copy)]
pub(crate) struct Rt(NonNull<Engine>);

/// When it is dropped no engine is the current one any more.
struct Entered(Rt);

impl Drop for Entered {
    fn drop(&mut self) {
        ENGINE.with(|current| current.set(std::ptr::null_mut()));
    }
}

/// The engine, if this code runs inside a check. State hooks must not ask for it.
#[inline(always)]
pub(crate) fn current() -> Option<Rt> {
    let rt = inside();
    if rt.is_none() {
        states::refuse_hooks();
    }
    rt
}

/// As [`current`], for what state hooks may do: there is no engine while they run, but a [`peek`].
#[inline(always)]
pub(crate) fn inside() -> Option<Rt> {
    NonNull::new(ENGINE.with(Cell::get)).map(Rt)
}

/// Something is made whose clones are counted; a clone is no point, but others can ask for the count.
pub(crate) fn counts_are_seen() {
    if let Some(rt) = current() {
        rt.engine().execution.expect_side_effects();
    }
}

/// The present step of the running task is a yield: it makes no progress by itself.
#[inline]
pub(crate) fn yields() {
    if let Some(rt) = current() {
        rt.yields();
    }
}

/// What an aborted task unwinds with.
pub(crate) struct AbortToken;

/// How often a task may swallow an abort before it is left where it is.
const SWALLOWED_ABORTS: u32 = 100;

/// How many operations the destructors of an execution may do while their tasks unwind before one is left where it is.
const MAX_QUIET_POINTS: u32 = 20_000;

impl Rt {
    /// Makes an engine the current one of this thread.
    fn enter(engine: &mut Engine) -> Entered {
        let engine = NonNull::from(engine);
        ENGINE.with(|current| current.set(engine.as_ptr()));
        Entered(Rt(engine))
    }

    /// Runs something that is not part of the program under test, on a task's stack: there is no engine meanwhile.
    fn without<T>(f: impl FnOnce() -> T) -> T {
        struct PutBack(*mut Engine);
        impl Drop for PutBack {
            fn drop(&mut self) {
                ENGINE.with(|current| current.set(self.0));
            }
        }
        let _put_back = PutBack(ENGINE.with(|current| current.replace(std::ptr::null_mut())));
        f()
    }

    /// For code that is called with the current engine.
    pub(crate) fn of(engine: &mut Engine) -> Rt {
        Rt(NonNull::from(engine))
    }

    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn engine<'a>(self) -> &'a mut Engine {
        // SAFETY: the pointer is set for as long as the engine runs a check, on the thread that runs all of its tasks;
        // callers drop the reference before any point, so no two are used at a time.
        unsafe { &mut *self.0.as_ptr() }
    }

    /// The running task.
    #[inline]
    pub(crate) fn current(self) -> TaskId {
        self.engine().running
    }

    /// A scheduling point before an operation that could take effect now.
    ///
    /// While the task unwinds no other task runs, and this does nothing.
    #[inline(always)]
    pub(crate) fn point(self, op: Op, source: Source) {
        if std::thread::panicking() {
            self.point_while_panicking();
        } else if !self.engine().execution.coast() {
            self.announce(op, source, true);
        }
    }

    /// Announces an operation; comes back when the running task is chosen to take it.
    #[inline(always)]
    fn announce(self, op: Op, source: Source, able: bool) {
        // SAFETY: the engine is the current one; no reference to it is held here.
        unsafe { announce(self.0.as_ptr(), op, source, able) };
    }

    /// Nothing happens, unless a destructor waits in a loop for what cannot come.
    #[cold]
    fn point_while_panicking(self) {
        let engine = self.engine();
        if !engine.aborting {
            engine.settings.reliance.unwind();
        }
        engine.quiet_points += 1;
        if engine.quiet_points > MAX_QUIET_POINTS {
            self.abandon();
        }
    }

    /// A point in a destructor, before an effect that must come about even if the execution ends at the point.
    #[inline]
    pub(crate) fn point_then(self, op: Op, source: Source, effect: impl FnOnce()) {
        struct Finally<F: FnOnce()>(Option<F>);
        impl<F: FnOnce()> Drop for Finally<F> {
            #[inline]
            fn drop(&mut self) {
                if let Some(effect) = self.0.take() {
                    effect();
                }
            }
        }
        let _finally = Finally(Some(effect));
        self.point(op, source);
    }

    /// A scheduling point before an operation on an object that may not be able to take effect now. Returns when it can.
    #[inline(always)]
    pub(crate) fn point_on(self, op: Op, source: Source) {
        let engine = self.engine();
        let object = &engine.objects[op.object.0 as usize];
        if object.allows(op.kind, engine.running) {
            self.point(op, source);
        } else {
            self.block(op, source);
        }
    }

    /// The running task cannot go on with this operation now. Returns when it can.
    #[inline]
    pub(crate) fn block(self, op: Op, source: Source) {
        if std::thread::panicking() {
            self.block_while_panicking(op);
        } else {
            self.announce(op, source, false);
        }
    }

    /// A destructor has to wait. While its task unwinds by a panic of its own no other task runs, so that cannot end; while
    /// the whole execution is unwound, what it waits for may come.
    #[cold]
    fn block_while_panicking(self, op: Op) {
        if !self.engine().aborting {
            self.abandon();
        }
        self.stall_until(|engine| match op.kind {
            // What these would give has gone with the execution, and destructors do not expect an error.
            OpKind::Join | OpKind::Park | OpKind::Wait | OpKind::Await => false,
            OpKind::Recv | OpKind::RecvUntil => engine.objects[op.object.0 as usize].count > 0,
            kind => engine.objects[op.object.0 as usize].allows(kind, engine.running),
        });
    }

    /// While an aborted execution is unwound: lets other tasks be unwound first.
    #[cold]
    fn stall_until(self, can_go_on: impl Fn(&Engine) -> bool) {
        while !can_go_on(self.engine()) {
            let engine = self.engine();
            let me = engine.running;
            engine.tasks[me.index()].stalled = true;
            engine.tasks[me.index()].quiet = true;
            self.suspend();
            let engine = self.engine();
            engine.tasks[me.index()].quiet = false;
        }
    }

    /// While an aborted execution is unwound: waits until the tasks of this task's scopes have been. Else nothing.
    pub(crate) fn wait_for_scoped_tasks(self) {
        if self.engine().aborting {
            self.stall_until(|engine| !engine.has_scoped_task_left(engine.running));
        }
    }

    /// While an aborted execution is unwound: a destructor waits for a message that will not come. Else nothing.
    pub(crate) fn stall_if_aborting(self) {
        if self.engine().aborting && std::thread::panicking() {
            self.stall_until(|_| false);
        }
    }

    /// The running task has announced an operation, and this is how the execution goes on. Comes back when the task does.
    pub(crate) fn proceed(self, next: Next, op: Op) {
        let turn = self.engine().turn(next, op);
        if !turn.is_stay() {
            // SAFETY: the engine names a task that waits, or the root.
            unsafe { switch(turn.save, turn.to) };
        }
    }

    /// Leaves this task. Comes back to unwind it, by throwing unless the task is `quiet`.
    #[inline]
    fn suspend(self) {
        let turn = self.engine().turn_to_root();
        // SAFETY: the root waits for its tasks.
        unsafe { switch(turn.save, turn.to) };
    }

    #[inline]
    fn throw_if_aborting(self) {
        if self.engine().aborting {
            self.throw();
        }
    }

    #[cold]
    fn throw(self) -> ! {
        let engine = self.engine();
        engine.throws += 1;
        if engine.throws > SWALLOWED_ABORTS {
            self.abandon();
        }
        std::panic::resume_unwind(Box::new(AbortToken));
    }

    /// Leaves this task for ever: its stack cannot be unwound any further.
    #[cold]
    pub(crate) fn abandon(self) -> ! {
        let engine = self.engine();
        engine.abandon(engine.running, std::thread::panicking());
        self.suspend();
        unreachable!("an abandoned task never goes on")
    }

    /// The library was used in a way that makes the check meaningless: ends the execution and the check.
    #[cold]
    pub(crate) fn misuse(self, misuse: Misuse) -> ! {
        let engine = self.engine();
        engine.misuse.get_or_insert(misuse);
        engine.execution.end(Ending::Misused);
        if engine.aborting || std::thread::panicking() {
            self.abandon();
        }
        self.suspend();
        unreachable!("a task of an execution that is over is unwound")
    }

    /// The running task touches an object: what makes the execution's class, and orders it after what touched the object before.
    #[inline]
    pub(crate) fn touch(self, object: usize, access: Access) {
        self.engine().execution.touch(object, access);
    }

    /// The running task touches an object, which orders nothing by itself.
    #[inline]
    pub(crate) fn touch_class(self, object: usize, access: Access) {
        self.engine().execution.touch_class(object, access);
    }

    /// The running task has taken a step that touches no object.
    #[inline]
    pub(crate) fn touch_nothing(self) {
        let engine = self.engine();
        if engine.execution.counts_classes() {
            let task = engine.execution.current();
            engine.execution.past_mut(task).absorb(0);
        }
    }

    /// The present step of the running task is a yield: the task makes no progress by itself (docs/semantics.md, "Two yields").
    #[inline]
    pub(crate) fn yields(self) {
        let engine = self.engine();
        if engine.execution.is_fair() && !std::thread::panicking() {
            engine.execution.yields();
            engine.tasks[engine.running.index()].polling.yields();
            if engine.execution.reduces() {
                // Who may be scheduled after it depends on every step before.
                engine.settings.reliance.unwind();
            }
        }
    }

    /// The running task changes something that traces do not show.
    #[inline]
    pub(crate) fn changes_hidden(self) {
        self.engine().execution.changes_hidden();
    }

    /// What the operation observed, for traces.
    #[inline(always)]
    pub(crate) fn note(self, note: impl FnOnce() -> Note) {
        if self.engine().execution.is_traced() {
            self.note_slow(note);
        }
    }

    /// Out of the way of operations that are not traced.
    #[cold]
    #[inline(never)]
    fn note_slow(self, note: impl FnOnce() -> Note) {
        self.engine().execution.note(note);
    }

    /// A data choice among `count` values, 0 first.
    pub(crate) fn choose(self, count: u32, source: Source) -> u32 {
        if std::thread::panicking() {
            return 0;
        }
        self.throw_if_aborting();
        let chosen = if self.observe() { self.engine().execution.choose(count, source.into()) } else { None };
        match chosen {
            Some(value) => value,
            None => {
                self.suspend();
                0
            }
        }
    }
}
