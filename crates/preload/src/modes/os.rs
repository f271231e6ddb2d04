//! Tasks as threads of the system, of which all but one wait: a cross-check of the coroutines.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use caissa_core::TaskId;

use crate::real::real;
use crate::rt::Rt;
use crate::sys;
use crate::task::Task;

/// So many threads can be there at a time.
pub(super) const MOST_THREADS: u32 = 4096;

/// A new task gets a thread, which waits for its turn.
pub(super) fn place(task: &mut Task, id: TaskId) {
    let mut thread = 0usize;
    let failed = real!(pthread_create(
        &mut thread => *mut usize,
        std::ptr::null() => *const libc::pthread_attr_t,
        begin => extern "C-unwind" fn(*mut c_void) -> *mut c_void,
        id.index() as *mut c_void => *mut c_void,
    ) -> i32);
    if failed != 0 {
        let what = format!("starts more threads than the system lets it (error {failed})");
        Rt::of_server().misuse(what);
    }
    task.thread = thread;
    task.stack = super::stack_of(thread as libc::pthread_t);
    task.lowest = task.stack.end;
}

extern "C-unwind" fn begin(id: *mut c_void) -> *mut c_void {
    let rt = Rt::of_server();
    wait_for_turn(&rt.state().tasks[id as usize].turn);
    Rt::run_task()
}

fn wait_for_turn(turn: &AtomicU32) {
    while turn.load(Ordering::Acquire) == 0 {
        sys::futex_wait(turn.as_ptr(), 0);
    }
    turn.store(0, Ordering::Relaxed);
}

fn give_turn(rt: &Rt, task: TaskId) {
    let turn = &rt.state().tasks[task.index()].turn;
    turn.store(1, Ordering::Release);
    sys::futex_wake(turn.as_ptr());
}

pub(super) fn switch_to(rt: &Rt, me: TaskId, task: TaskId) {
    give_turn(rt, task);
    // The table may move when tasks are added, but not while this one waits: it has its turn again before it looks there.
    let turn: *const AtomicU32 = &raw const rt.state().tasks[me.index()].turn;
    // SAFETY: room for all tasks was made at the beginning.
    wait_for_turn(unsafe { &*turn });
}

pub(super) fn switch_for_good(rt: &Rt, task: TaskId) -> ! {
    give_turn(rt, task);
    loop {
        // SAFETY: this thread ends, and nobody waits for it.
        unsafe { sys::call(libc::SYS_exit, 0, 0, 0) };
    }
}
