//! What C++ needs beside threads: variables of functions that are initialised once.

use std::ffi::c_int;

use caissa_core::ObjectKind;
use caissa_core::class::Access;

use super::{atomics, stubs};
use crate::real::real;
use crate::rt::Rt;

stubs! {
    __cxa_guard_acquire/1 => acquire,
    __cxa_guard_release/1 => release,
    __cxa_guard_abort/1 => abort,
    _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv/1 => add_reference,
    _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv/1 => drop_reference,
}

/// The first byte says whether the variable is initialised; compiled code looks there first.
type Guard = *mut u8;

extern "C-unwind" fn acquire(guard: Guard, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(__cxa_guard_acquire(guard => Guard) -> c_int) };
    let object = rt.object(ObjectKind::Once, guard as usize);
    // SAFETY: the program's own.
    rt.once_begins(object, || unsafe { *guard } != 0, pc) as c_int
}

extern "C-unwind" fn release(guard: Guard, pc: usize) {
    let Some(rt) = Rt::enter() else { return real!(__cxa_guard_release(guard => Guard) -> ()) };
    let object = rt.object(ObjectKind::Once, guard as usize);
    atomics::store_release(&rt, guard, 1, pc);
    rt.once_ends(object, pc);
}

extern "C-unwind" fn abort(guard: Guard, pc: usize) {
    let Some(rt) = Rt::enter() else { return real!(__cxa_guard_abort(guard => Guard) -> ()) };
    let object = rt.object(ObjectKind::Once, guard as usize);
    rt.once_ends(object, pc);
}

/// A pointer to an exception, whose references the C++ library counts by itself.
type ExceptionPointer = *mut usize;

/// Whoever gives a reference back comes before whoever destroys the exception.
fn count(pointer: ExceptionPointer) {
    if let Some(rt) = Rt::enter() {
        // SAFETY: the program's own.
        let exception = unsafe { *pointer };
        if exception != 0 {
            let object = rt.object(ObjectKind::Atomic, exception);
            rt.touch(object, Access::Write);
        }
    }
}

extern "C-unwind" fn add_reference(pointer: ExceptionPointer, _pc: usize) {
    count(pointer);
    real!(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(pointer => ExceptionPointer) -> ());
}

extern "C-unwind" fn drop_reference(pointer: ExceptionPointer, _pc: usize) {
    count(pointer);
    real!(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(pointer => ExceptionPointer) -> ());
}
