//! What is done once: `pthread_once`.

use std::ffi::c_int;

use caissa_core::class::Access;
use caissa_core::{ObjectKind, OpKind};

use super::stubs;
use crate::real::real;
use crate::rt::{Rt, number};

type Routine = extern "C-unwind" fn();

stubs! { pthread_once/2 => once }

/// What the control word holds when it has been done, as libc has it.
const DONE: i32 = 2;

impl Rt {
    /// Waits until no other task does it, and says whether the running one has to. `done` looks where the program keeps whether it has been done: there
    /// it may have been made anew.
    pub(crate) fn once_begins(&self, object: usize, done: impl FnOnce() -> bool, pc: usize) -> bool {
        self.point_on(self.op(OpKind::CallOnce, object), pc);
        if done() {
            self.touch_class(object, Access::Read);
            self.state().execution.acquire(number(object).0 as usize, Access::Read);
            return false;
        }
        self.hold(object);
        true
    }

    /// The running task has done it, or has given up.
    pub(crate) fn once_ends(&self, object: usize, pc: usize) {
        self.point(self.op(OpKind::OnceDone, object), pc);
        self.release(object);
    }
}

/// If what is done throws, it is as if nobody had tried.
struct GivesUp {
    object: usize,
    pc: usize,
}

impl Drop for GivesUp {
    fn drop(&mut self) {
        if let Some(rt) = Rt::enter() {
            rt.once_ends(self.object, self.pc);
        }
    }
}

pub(super) extern "C-unwind" fn once(control: *mut i32, routine: Routine, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(pthread_once(control => *mut i32, routine => Routine) -> c_int);
    };
    let object = rt.object(ObjectKind::Once, control as usize);
    // SAFETY: the program's own.
    if rt.state().code.of_rust && unsafe { *control } == DONE {
        rt.state().execution.acquire(number(object).0 as usize, Access::Read);
        return 0;
    }
    // SAFETY: the program's own.
    if !rt.once_begins(object, || unsafe { *control } == DONE, pc) {
        return 0;
    }
    drop(rt);
    let gives_up = GivesUp { object, pc };
    routine();
    std::mem::forget(gives_up);
    if let Some(rt) = Rt::enter() {
        rt.once_ends(object, pc);
        // SAFETY: the program's own.
        unsafe { *control = DONE };
    }
    0
}
