//! The life of a task: a thread of the program.

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use caissa_core::class::{Access, Mark, Past};
use caissa_core::{Next, Note, ObjectId, ObjectKind, Op, OpKind, TaskId, TaskSet};
use caissa_wire::Halt;

use crate::files::Waiting;
use crate::hooks::panics::{Panic, Said};
use crate::modes;
use crate::real::real;
use crate::rt::{Rt, State};
use crate::spin::Rounds;
use crate::switch::Context;
use crate::sys;
use crate::unwind::Exception;
use crate::wait::{Ended, Polling, Wait};

/// What is known of a task.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// Where it goes on, if it is a coroutine.
    pub(crate) context: Context,
    /// Whether it is its turn, if it is a thread of the system.
    pub(crate) turn: AtomicU32,
    /// What the program knows it by.
    pub(crate) thread: usize,
    pub(crate) entry: usize,
    /// The call that started it; of the main task where it begins.
    pub(crate) spawned_at: usize,
    pub(crate) argument: usize,
    pub(crate) result: usize,
    /// Tasks that wait for its end.
    pub(crate) joiners: TaskSet,
    /// It has come to a point.
    pub(crate) has_announced: bool,
    /// What it has said last on standard errors, from where it says that it panics.
    pub(crate) said: Vec<u8>,
    /// The last panic that it has said something of.
    pub(crate) said_last: Option<Said>,
    /// Its panic, until that is caught.
    pub(crate) panic: Option<Panic>,
    /// The task that it has joined last.
    pub(crate) joined_last: Option<TaskId>,
    pub(crate) detached: bool,
    pub(crate) joined: bool,
    /// What has woken it.
    pub(crate) woken_by: Mark,
    /// Signals that it has sent itself and blocks.
    pub(crate) pending_signals: u64,
    /// Signals that are blocked, while it does not run.
    pub(crate) blocked: u64,
    /// Waiting at a futex: who may wake it.
    pub(crate) futex_mask: u32,
    /// Waiting at a condvar: the mutex that it wants back.
    pub(crate) wants: usize,
    pub(crate) polling: Polling,
    pub(crate) rounds: Rounds,
    /// Waiting for files.
    pub(crate) waits: Waiting,
    pub(crate) name: Option<String>,
    /// Where its stack lies.
    pub(crate) stack: Range<usize>,
    /// How far down it has been used, as far as is known.
    pub(crate) lowest: usize,
    end_past: Past,
    /// Who has asked it to end, and when it has looked.
    pub(crate) cancel_past: Past,
    pub(crate) cancellation: Cancellation,
    /// What is to be done if it exits: buffers of `pthread_cleanup_push`, the last one first to be used.
    pub(crate) cleanups: Vec<usize>,
    /// What it does is not under control for a moment: it unwinds.
    pub(crate) exiting: bool,
    /// By this.
    pub(crate) exception: Option<Box<Exception>>,
}

/// Whether a task is to end because another one has asked for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cancellation {
    pub(crate) asked: bool,
    pub(crate) disabled: bool,
    pub(crate) asynchronous: bool,
}

impl Task {
    fn reset(&mut self) {
        self.joiners.clear();
        self.cleanups.clear();
        let (joiners, cleanups) = (std::mem::take(&mut self.joiners), std::mem::take(&mut self.cleanups));
        let exception = self.exception.take();
        self.rounds.reset();
        let rounds = std::mem::take(&mut self.rounds);
        *self = Task { joiners, cleanups, exception, rounds, ..Task::default() };
    }

    fn make(state: &mut State, task: TaskId) -> &mut Task {
        match state.tasks.get_mut(task.index()) {
            Some(task) => task.reset(),
            None => state.tasks.push(Task::default()),
        }
        &mut state.tasks[task.index()]
    }

    /// The main task, at the beginning of an execution.
    pub(crate) fn begin_main(state: &mut State) {
        let task = Task::make(state, TaskId::MAIN);
        task.spawned_at = crate::start::main_place();
        modes::place_main(task);
    }
}

impl Rt {
    /// The task that the program knows by this.
    pub(crate) fn find_task(&self, thread: usize) -> Option<TaskId> {
        let state = self.state();
        let tasks = (0..state.execution.task_count()).map(TaskId);
        tasks.rev().find(|task| state.tasks[task.index()].thread == thread)
    }

    /// The running task starts another one.
    pub(crate) fn spawn(
        &self,
        entry: usize,
        argument: usize,
        detached: bool,
        out: *mut usize,
        pc: usize,
    ) -> i32 {
        self.point(self.own_op(OpKind::Spawn), pc);
        let state = self.state();
        let count = state.execution.task_count();
        if count > modes::room_for_tasks() {
            self.halt(Halt::Tasks(count * 2));
        }
        let parent = state.running;
        let child = state.execution.spawn();
        state.execution.note(|| Note::Spawned(child));
        let blocked = if state.blocks_signals { sys::block_signals(None) } else { 0 };
        let task = Task::make(state, child);
        task.entry = entry;
        task.spawned_at = pc;
        task.argument = argument;
        task.detached = detached;
        task.blocked = blocked;
        modes::place(task, child);
        // SAFETY: the program has given it for this.
        unsafe { out.write(task.thread) };
        let stack = task.stack.clone();
        self.forget_memory(stack.start, stack.len());
        self.state().running = child;
        modes::begin(self, parent, child);
        0
    }

    /// The whole life of a task.
    pub(crate) fn run_task() -> ! {
        // It comes from a switch, inside the runtime.
        let rt = std::mem::ManuallyDrop::into_inner(Rt::of_server());
        let (entry, argument) = (rt.task().entry, rt.task().argument);
        // SAFETY: the program wants it to be called so.
        let entry: extern "C-unwind" fn(usize) -> usize = unsafe { std::mem::transmute(entry) };
        let result = rt.outside(|| entry(argument));
        if crate::start::is_let_go() {
            // The last thread of a process that was forked.
            crate::sys::exit(0);
        }
        rt.finish_task(result)
    }

    /// The running task has returned, or was ended; nothing on its stack is needed any more.
    pub(crate) fn finish_task(self, result: usize) -> ! {
        crate::hooks::keys::destroy_locals(&self);
        let me = self.me();
        let pc = self.task().spawned_at;
        self.point(Op::new(OpKind::End, ObjectId(me.0)), pc);
        self.give_up_mutexes();
        if self.is_last() {
            // The process ends as if it had called this.
            crate::start::exit_from(0, pc);
            drop(self);
            real!(exit(0 => i32) -> ());
            unreachable!("nobody comes back from exit");
        }
        let state = self.state();
        let task = &mut state.tasks[me.index()];
        task.result = result;
        if state.execution.counts_classes() {
            state.execution.past_mut(me).touch(&mut state.tasks[me.index()].end_past, Access::Write);
        }
        for joiner in &state.tasks[me.index()].joiners {
            state.execution.enable(joiner);
        }
        self.look_at_files(true);
        let digest = self.digest();
        state.execution.set_digest(digest);
        match state.execution.end_task() {
            Next::Switch(task) => self.vanish(task),
            Next::Stay | Next::End => self.leave(),
        }
    }

    /// Whether all other tasks have ended.
    fn is_last(&self) -> bool {
        let execution = &self.state().execution;
        (0..execution.task_count()).map(TaskId).all(|task| task == self.me() || execution.has_ended(task))
    }

    /// Another task goes on, and the running one never does.
    fn vanish(self, task: TaskId) -> ! {
        let state = self.state();
        let op = state.execution.pending_op(task);
        if op.kind.can_block() {
            state.objects[crate::rt::index(op.object)].waiting.remove(task);
        }
        state.running = task;
        modes::switch_for_good(&self, task)
    }

    /// What the running task holds is free, if that is what its kind promises.
    fn give_up_mutexes(&self) {
        let (state, me) = (self.state(), self.me());
        let held = |object: usize| {
            let object = &state.objects[object];
            object.kind == ObjectKind::Mutex && object.robust && object.holder == Some(me)
        };
        for object in (0..state.object_count).filter(|&object| held(object)).collect::<Vec<usize>>() {
            let mutex = &mut self.state().objects[object];
            mutex.holder = None;
            mutex.count = 0;
            mutex.abandoned = true;
            self.touch(object, Access::Write);
            self.refresh(object);
        }
    }

    /// Waits for a task to end; its result.
    pub(crate) fn join(&self, task: TaskId, pc: usize) -> usize {
        let op = Op::new(OpKind::Join, ObjectId(task.0));
        self.exit_if_cancelled();
        let (state, me) = (self.state(), self.me());
        if state.execution.has_ended(task) {
            self.point(op, pc);
        } else {
            state.tasks[task.index()].joiners.insert(me);
            self.block(op, pc);
            self.state().tasks[task.index()].joiners.remove(me);
            if !self.state().execution.has_ended(task) {
                // It was woken to be cancelled.
                self.exit_if_cancelled();
            }
        }
        let state = self.state();
        if state.execution.counts_classes() {
            let past = *state.execution.past(task);
            state.execution.past_mut(me).join(&past);
        }
        state.execution.acquire_task(task);
        let joiner = &mut state.tasks[me.index()];
        joiner.joined_last = Some(task);
        joiner.said_last = None;
        if !state.execution.is_in_reserve() {
            state.execution.consume_panic(task);
        }
        state.tasks[task.index()].joined = true;
        self.may_be_alone();
        self.state().tasks[task.index()].result
    }

    /// Waits for a task to end, until a deadline: whether it has.
    pub(crate) fn await_end(&self, task: TaskId, deadline: u64, pc: usize) -> bool {
        self.exit_if_cancelled();
        let me = self.me();
        self.state().tasks[task.index()].joiners.insert(me);
        let op = Op::new(OpKind::Join, ObjectId(task.0));
        let expires = self.own_op(OpKind::ParkExpires);
        let wait = Wait { op, deadline: Some(deadline), expires, wakes: None, on: None };
        let ended = self.wait_until(wait, pc);
        self.state().tasks[task.index()].joiners.remove(me);
        if ended == Ended::TimedOut {
            self.advance(deadline);
        } else if !self.state().execution.has_ended(task) {
            self.exit_if_cancelled();
        }
        ended != Ended::TimedOut
    }

    /// The running task has woken another one by an operation on an object.
    pub(crate) fn woke(&self, task: TaskId, object: usize) {
        let state = self.state();
        state.tasks[task.index()].woken_by = state.execution.last_write(crate::rt::number(object).0 as usize);
    }

    /// The running task goes on because it was woken.
    pub(crate) fn absorb_wake(&self) {
        let (state, me) = (self.state(), self.me());
        if state.execution.counts_classes() {
            let woken_by = state.tasks[me.index()].woken_by;
            state.execution.past_mut(me).follow(woken_by);
        }
    }

    /// Asks whether a task has ended.
    pub(crate) fn has_ended(&self, task: TaskId, pc: usize) -> bool {
        self.point(Op::new(OpKind::IsFinished, ObjectId(task.0)), pc);
        let (state, me) = (self.state(), self.me());
        if state.execution.counts_classes() {
            state.execution.past_mut(me).touch(&mut state.tasks[task.index()].end_past, Access::Read);
        }
        state.execution.has_ended(task)
    }
}

/// Where a coroutine begins.
pub(crate) extern "C-unwind" fn begin_coroutine() -> ! {
    Rt::run_task()
}
