//! Cancellation of threads, and what is to be done when one exits.
//!
//! A thread is cancelled where it comes to a cancellation point of ours; asynchronous cancellation is taken for that too, and said.

use std::ffi::{c_int, c_void};

use caissa_core::class::Access;
use caissa_core::{ObjectId, Op, OpKind};

use super::stubs;
use crate::real::real;
use crate::rt::Rt;

stubs! {
    pthread_cancel/1 => cancel,
    pthread_testcancel/0 => test,
    pthread_setcancelstate/2 => set_state,
    pthread_setcanceltype/2 => set_type,
    __pthread_register_cancel/1 => push,
    __pthread_unregister_cancel/1 => pop,
    __pthread_unwind_next/1 => go_on,
}

/// What a cancelled thread returns.
const CANCELLED: usize = usize::MAX;
const DISABLED: c_int = 1;

impl Rt {
    /// A cancellation point: the running task ends here, if it was asked to.
    pub(crate) fn exit_if_cancelled(&self) {
        let state = self.state();
        let me = state.running;
        if state.execution.counts_classes() {
            // Who asks before this and who asks after it are not the same.
            state.execution.past_mut(me).touch(&mut state.tasks[me.index()].cancel_past, Access::Read);
        }
        let task = self.task();
        if task.cancellation.asked && !task.cancellation.disabled && !task.exiting {
            self.exit_task(CANCELLED);
        }
    }
}

extern "C-unwind" fn cancel(thread: usize, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(pthread_cancel(thread => usize) -> c_int) };
    let Some(task) = rt.find_task(thread) else { return libc::ESRCH };
    rt.point(Op::new(OpKind::Cancel, ObjectId(task.0)), pc);
    let state = rt.state();
    if state.execution.counts_classes() {
        let me = state.running;
        state.execution.past_mut(me).touch(&mut state.tasks[task.index()].cancel_past, Access::Write);
    }
    // One that ends already is not asked again.
    if state.execution.has_ended(task) || state.tasks[task.index()].exiting {
        return 0;
    }
    let cancellation = &mut state.tasks[task.index()].cancellation;
    cancellation.asked = true;
    if cancellation.disabled || task == state.running {
        drop(rt);
        if let Some(rt) = Rt::enter().filter(|rt| rt.me() == task && rt.task().cancellation.asynchronous) {
            rt.exit_if_cancelled();
        }
        return 0;
    }
    // One that waits where it may be cancelled goes on, to see that it was.
    let op = state.execution.pending_op(task);
    let waits = matches!(
        op.kind,
        OpKind::Wait
            | OpKind::WaitUntil
            | OpKind::SemWait
            | OpKind::SemWaitUntil
            | OpKind::Join
            | OpKind::Io
            | OpKind::IoUntil
    );
    if waits {
        if op.kind.can_block() {
            state.objects[crate::rt::index(op.object)].waiting.remove(task);
        }
        state.io_waits.retain(|&other| other != task);
        state.execution.drop_timer(task);
        state.execution.replace_pending(task, Op::new(OpKind::Cancel, ObjectId(task.0)));
        state.execution.enable(task);
    }
    0
}

extern "C-unwind" fn test(pc: usize) {
    match Rt::enter() {
        Some(rt) => {
            // Others can see whether it comes before or after they ask.
            rt.point(rt.own_op(OpKind::Cancel), pc);
            rt.touch_nothing();
            rt.exit_if_cancelled();
        }
        None => real!(pthread_testcancel() -> ()),
    }
}

extern "C-unwind" fn set_state(new: c_int, old: *mut c_int, _pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(pthread_setcancelstate(new => c_int, old => *mut c_int) -> c_int);
    };
    let before = std::mem::replace(&mut rt.task().cancellation.disabled, new == DISABLED);
    if !old.is_null() {
        // SAFETY: the program's own.
        unsafe { *old = before as c_int };
    }
    0
}

extern "C-unwind" fn set_type(new: c_int, old: *mut c_int, _pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(pthread_setcanceltype(new => c_int, old => *mut c_int) -> c_int);
    };
    let before = std::mem::replace(&mut rt.task().cancellation.asynchronous, new == DISABLED);
    if !old.is_null() {
        // SAFETY: the program's own.
        unsafe { *old = before as c_int };
    }
    0
}

type Buffer = *mut c_void;

extern "C-unwind" fn push(buffer: Buffer, _pc: usize) {
    match Rt::enter() {
        Some(rt) => rt.task().cleanups.push(buffer as usize),
        None => real!(__pthread_register_cancel(buffer => Buffer) -> ()),
    }
}

extern "C-unwind" fn pop(buffer: Buffer, _pc: usize) {
    match Rt::enter() {
        Some(rt) => {
            rt.task().cleanups.pop();
        }
        None => real!(__pthread_unregister_cancel(buffer => Buffer) -> ()),
    }
}

extern "C-unwind" fn go_on(buffer: Buffer, _pc: usize) {
    match Rt::enter() {
        Some(rt) => {
            drop(rt);
            crate::unwind::unwind();
        }
        None => real!(__pthread_unwind_next(buffer => Buffer) -> ()),
    }
}

/// Goes to the code that has pushed a cleanup, which will do it and then go on.
pub(crate) fn go_to_cleanup(buffer: usize) -> ! {
    unsafe extern "C-unwind" {
        fn longjmp(buffer: *mut c_void, value: c_int) -> !;
    }
    // SAFETY: the buffer was filled by `setjmp` in a frame that is still there.
    unsafe { longjmp(buffer as *mut c_void, 1) }
}
