//! How executions are run, and how one task makes way for another.

mod fork;
mod in_process;
mod os;
mod seccomp;

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use caissa_core::TaskId;
use caissa_wire::{Mode, Setup};

use crate::real::real;
use crate::rt::{Rt, State};
use crate::switch::{Context, fresh, switch};
use crate::task::{Task, begin_coroutine};
use crate::zygotes::Zygote;
use crate::{heap, sys, zygotes};
use in_process::Snapshot;

/// What executions begin with.
pub(crate) struct Server {
    mode: Mode,
    zygotes: Vec<Zygote>,
    /// Where the main task begins.
    main: Context,
    /// Its stack, as far as it may grow.
    main_stack: Range<usize>,
    main_thread: usize,
    snapshot: Option<Snapshot>,
}

struct Cell(UnsafeCell<*mut Server>);

// SAFETY: it is changed before the first execution only, and by the server only.
unsafe impl Sync for Cell {}

static SERVER: Cell = Cell(UnsafeCell::new(std::ptr::null_mut()));

fn server() -> &'static mut Server {
    // SAFETY: it is set before the first execution; references to it are short.
    unsafe { &mut **SERVER.0.get() }
}

/// The stack of the server itself.
const ROOT_STACK: usize = 8 << 20;

/// Makes ready for executions. Each begins by returning from here, in the same process or in a copy of it; meanwhile `serve` runs.
pub(crate) fn prepare(setup: &Setup, serve: extern "C-unwind" fn() -> !) {
    if let Some(processor) = setup.processor {
        pin(processor);
    }
    let zygotes = if setup.mode == Mode::Os { Vec::new() } else { zygotes::start(setup.tasks) };
    if setup.mode == Mode::Os {
        has_threads();
    }
    // SAFETY: it only says whose children those become whose parents have ended.
    unsafe { sys::call(libc::SYS_prctl, libc::PR_SET_CHILD_SUBREAPER as usize, 1, 0) };
    let pointer = sys::thread_pointer();
    // SAFETY: it only asks.
    let main_thread = unsafe { libc::pthread_self() };
    let server = Box::new(Server {
        mode: setup.mode,
        zygotes,
        main: Context { stack: 0, thread: pointer },
        main_stack: stack_of(main_thread),
        main_thread: main_thread as usize,
        snapshot: None,
    });
    // SAFETY: nothing runs yet.
    unsafe { *SERVER.0.get() = Box::into_raw(server) };
    heap::with(|heap| heap.set_base(setup.mode == Mode::InProcess, setup.memory));
    let root = sys::map(ROOT_STACK, setup.mode == Mode::InProcess);
    // SAFETY: the stack is new. The context that is saved is the one that executions begin with.
    unsafe {
        let stack = fresh(root as usize + ROOT_STACK, serve);
        let save = &raw mut (*(*SERVER.0.get())).main.stack;
        switch(save, Context { stack, thread: pointer });
    }
}

/// What has to be known of memory before the first execution. By the server.
pub(crate) fn take_snapshot() -> Result<(), String> {
    // What is done once by those who look at stacks is done.
    crate::unwind::all_frames();
    in_process::clear_below(server().main.stack)?;
    if server().mode == Mode::InProcess {
        let (main, zygotes) = (server().main.stack, &server().zygotes);
        server().snapshot = Some(Snapshot::take(main, zygotes)?);
        seccomp::install()?;
    }
    Ok(())
}

/// Libraries that look whether there is a single thread see several from the beginning, in every mode: libc remembers that there was one.
fn has_threads() {
    extern "C-unwind" fn nothing(argument: usize) -> usize {
        argument
    }
    let mut thread = 0usize;
    let failed = real!(pthread_create(
        &mut thread => *mut usize,
        std::ptr::null() => *const libc::pthread_attr_t,
        nothing => extern "C-unwind" fn(usize) -> usize,
        0 => usize,
    ) -> i32);
    if failed == 0 {
        real!(pthread_join(thread => usize, std::ptr::null_mut() => *mut usize) -> i32);
    }
}

fn pin(processor: u32) {
    // SAFETY: a set that is made here.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor as usize, &mut set);
        sys::call(libc::SYS_sched_setaffinity, 0, size_of_val(&set), (&raw const set) as usize);
    }
}

/// Where the stack of a thread lies; nowhere if that is not known.
fn stack_of(thread: libc::pthread_t) -> Range<usize> {
    // SAFETY: it only asks.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        let (mut base, mut size) = (std::ptr::null_mut(), 0);
        if libc::pthread_getattr_np(thread, &mut attributes) != 0 {
            return 0..0;
        }
        libc::pthread_attr_getstack(&attributes, &mut base, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
        base as usize..base as usize + size
    }
}

/// So many tasks are kept room for from the beginning, so that they are not moved while threads look at them.
pub(crate) const KEPT_ROOM: usize = os::MOST_THREADS as usize + 1;

/// So many tasks can be there beside the main one.
pub(crate) fn room_for_tasks() -> u32 {
    let server = server();
    if server.mode == Mode::Os { os::MOST_THREADS } else { server.zygotes.len() as u32 }
}

/// The main task is where executions begin.
pub(crate) fn place_main(task: &mut Task) {
    let server = server();
    task.context = server.main;
    task.thread = server.main_thread;
    task.stack = server.main_stack.clone();
    task.lowest = server.main.stack;
}

/// A new task gets a stack.
pub(crate) fn place(task: &mut Task, id: TaskId) {
    let server = server();
    if server.mode == Mode::Os {
        os::place(task, id);
        return;
    }
    let zygote = &server.zygotes[id.index() - 1];
    task.thread = zygote.thread;
    // SAFETY: nothing uses a zygote's stack below its frames, save the task that it is for.
    let stack = unsafe { fresh(zygote.stack.end, begin_coroutine) };
    task.context = Context { stack, thread: zygote.pointer };
    task.stack = zygote.stack.clone();
    // From now on it is used, whether it comes to a point or not.
    task.lowest = stack;
}

/// A new task begins; the running one goes on when it is chosen.
pub(crate) fn begin(rt: &Rt, me: TaskId, child: TaskId) {
    switch_to(rt, me, child);
}

/// Another task goes on. Comes back when `me` does.
pub(crate) fn switch_to(rt: &Rt, me: TaskId, task: TaskId) {
    rt.state().place_hooks(task);
    if server().mode == Mode::Os {
        return os::switch_to(rt, me, task);
    }
    let state = rt.state();
    change_mask(state, me, task);
    let to = state.tasks[task.index()].context;
    let save = &raw mut state.tasks[me.index()].context.stack;
    // SAFETY: the task has left its stack by a switch, or begins there.
    unsafe { switch(save, to) };
}

impl State {
    /// A task goes on, whose hooks have their frames on its own stack.
    pub(crate) fn place_hooks(&self, task: TaskId) {
        crate::aside::goes_on(&self.tasks[task.index()].stack, self.code.of_rust);
    }
}

/// Each task has signals of its own that are blocked, if the program has ever blocked any.
#[inline]
fn change_mask(state: &mut State, me: TaskId, task: TaskId) {
    if state.blocks_signals {
        let new = state.tasks[task.index()].blocked;
        state.tasks[me.index()].blocked = sys::block_signals(Some(new));
    }
}

/// Another task goes on; the running one has ended.
pub(crate) fn switch_for_good(rt: &Rt, task: TaskId) -> ! {
    rt.state().place_hooks(task);
    if server().mode == Mode::Os {
        os::switch_for_good(rt, task);
    }
    change_mask(rt.state(), rt.me(), task);
    let to = rt.state().tasks[task.index()].context;
    let mut nowhere = 0;
    // SAFETY: as above; nothing comes back.
    unsafe { switch(&mut nowhere, to) };
    unreachable!("nothing comes back to the stack of a task that has ended")
}

/// The execution is over.
pub(crate) fn leave(rt: &Rt) -> ! {
    match server().mode {
        Mode::Fork | Mode::Os => sys::exit(0),
        Mode::InProcess => {
            let state = rt.state();
            let root = Context { stack: state.root, thread: state.root_thread };
            let mut nowhere = 0;
            // SAFETY: the server waits there.
            unsafe { switch(&mut nowhere, root) };
            unreachable!("nothing comes back to an execution that is over")
        }
    }
}

/// Whether this process runs an execution now.
pub(crate) fn is_executing() -> bool {
    EXECUTING.load(Ordering::Relaxed)
}

static EXECUTING: AtomicBool = AtomicBool::new(false);

/// Runs an execution, from its beginning to its end. By the server.
pub(crate) fn execute(rt: &Rt) {
    match server().mode {
        Mode::Fork | Mode::Os => fork::execute(rt, server().mode, server().main),
        Mode::InProcess => {
            let state = rt.state();
            state.root_thread = sys::thread_pointer();
            EXECUTING.store(true, Ordering::Relaxed);
            crate::switch::clear_floating();
            // SAFETY: the main task begins there.
            unsafe { switch(&mut state.root, server().main) };
            EXECUTING.store(false, Ordering::Relaxed);
            let main = server().main.stack;
            server().snapshot.as_ref().expect("taken before").restore(rt, main);
        }
    }
}
