//! What programs say of their own locks to whoever looks for data races: the interface of libtsan, and the older one of annotations.
//!
//! Each orders accesses of data as it says, and is no scheduling point: locks that are told of so are made of operations that are.

use std::ffi::{c_char, c_int, c_uint, c_void};

use caissa_core::ObjectKind;
use caissa_core::class::Access;

use super::stubs;
use crate::rt::{Rt, number};

type Address = *mut c_void;

stubs! {
    __tsan_acquire/1 => acquire,
    __tsan_release/1 => release,
    __tsan_mutex_create/2 => nothing,
    __tsan_mutex_destroy/2 => nothing,
    __tsan_mutex_pre_lock/2 => nothing,
    __tsan_mutex_post_lock/3 => post_lock,
    __tsan_mutex_pre_unlock/2 => pre_unlock,
    __tsan_mutex_post_unlock/2 => nothing,
    __tsan_mutex_pre_signal/2 => nothing,
    __tsan_mutex_post_signal/2 => nothing,
    __tsan_mutex_pre_divert/2 => nothing,
    __tsan_mutex_post_divert/2 => nothing,
    __tsan_get_current_fiber/0 => no_fiber,
    __tsan_create_fiber/1 => no_fiber,
    __tsan_destroy_fiber/1 => nothing,
    __tsan_switch_to_fiber/2 => nothing,
    __tsan_set_fiber_name/2 => nothing,
    AnnotateHappensBefore/3 => happens_before,
    AnnotateHappensAfter/3 => happens_after,
    AnnotateRWLockAcquired/4 => lock_acquired,
    AnnotateRWLockReleased/4 => lock_released,
    AnnotateRWLockCreate/3 => nothing,
    AnnotateRWLockDestroy/3 => nothing,
    AnnotateBenignRace/4 => nothing,
    AnnotateBenignRaceSized/5 => nothing,
    AnnotateIgnoreReadsBegin/2 => nothing,
    AnnotateIgnoreReadsEnd/2 => nothing,
    AnnotateIgnoreWritesBegin/2 => nothing,
    AnnotateIgnoreWritesEnd/2 => nothing,
    AnnotateIgnoreSyncBegin/2 => nothing,
    AnnotateIgnoreSyncEnd/2 => nothing,
    AnnotateNewMemory/4 => nothing,
    AnnotateThreadName/3 => nothing,
    RunningOnValgrind/0 => no_valgrind,
}

extern "C-unwind" fn nothing() {}

extern "C-unwind" fn no_fiber() -> Address {
    std::ptr::null_mut()
}

extern "C-unwind" fn no_valgrind() -> c_int {
    0
}

extern "C-unwind" fn acquire(address: Address, _pc: usize) {
    if let Some(rt) = Rt::enter() {
        let object = rt.object(ObjectKind::Atomic, address as usize);
        rt.state().execution.acquire(number(object).0 as usize, Access::Write);
    }
}

extern "C-unwind" fn release(address: Address, _pc: usize) {
    if let Some(rt) = Rt::enter() {
        let object = rt.object(ObjectKind::Atomic, address as usize);
        // Beside who has done so before.
        rt.state().execution.release(number(object).0 as usize, Access::Read);
    }
}

/// The lock was not taken after all.
const TRY_LOCK_FAILED: c_uint = 1 << 5;

extern "C-unwind" fn post_lock(address: Address, flags: c_uint, _recursion: c_int, pc: usize) {
    if flags & TRY_LOCK_FAILED == 0 {
        acquire(address, pc);
    }
}

extern "C-unwind" fn pre_unlock(address: Address, _flags: c_uint, pc: usize) -> c_int {
    release(address, pc);
    0
}

type File = *const c_char;

extern "C-unwind" fn happens_before(_file: File, _line: c_int, address: Address, pc: usize) {
    release(address, pc);
}

extern "C-unwind" fn happens_after(_file: File, _line: c_int, address: Address, pc: usize) {
    acquire(address, pc);
}

extern "C-unwind" fn lock_acquired(_file: File, _line: c_int, address: Address, _writes: usize, pc: usize) {
    acquire(address, pc);
}

extern "C-unwind" fn lock_released(_file: File, _line: c_int, address: Address, _writes: usize, pc: usize) {
    release(address, pc);
}
