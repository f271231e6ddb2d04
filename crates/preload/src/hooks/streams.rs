//! Streams of the C library, which are recursive locks to those who ask for it by name.

use std::ffi::{c_int, c_void};

use caissa_core::ObjectKind;

use super::stubs;
use crate::real::real;
use crate::rt::Rt;

type Pointer = *mut c_void;

stubs! {
    flockfile/1 => lock_file,
    funlockfile/1 => unlock_file,
    ftrylockfile/1 => try_lock_file,
}

/// A stream of the C library is a recursive lock to those who ask for it by name.
fn stream(file: Pointer) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.object(ObjectKind::Mutex, file as usize);
    rt.state().objects[object].flavour = crate::object::Flavour::Recursive;
    Some((rt, object))
}

extern "C-unwind" fn lock_file(file: Pointer, pc: usize) {
    match stream(file) {
        Some((rt, object)) => {
            rt.take(object, None, pc);
        }
        None => real!(flockfile(file => Pointer) -> ()),
    }
}

extern "C-unwind" fn unlock_file(file: Pointer, pc: usize) {
    match stream(file) {
        Some((rt, object)) => {
            rt.give_back(object, "stream", pc);
        }
        None => real!(funlockfile(file => Pointer) -> ()),
    }
}

extern "C-unwind" fn try_lock_file(file: Pointer, pc: usize) -> c_int {
    match stream(file) {
        Some((rt, object)) => rt.try_take(object, pc),
        None => real!(ftrylockfile(file => Pointer) -> c_int),
    }
}
