//! Threads, mutexes and the rest as C11 names them. In libc they are those of POSIX.

use std::ffi::{c_int, c_void};

use super::{condvar, keys, mutex, once, stubs, threads, time};
use crate::real::real;
use crate::rt::Rt;

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

stubs! {
    thrd_create/3 => thrd_create,
    thrd_join/2 => thrd_join,
    thrd_detach/1 => thrd_detach,
    thrd_exit/1 => thrd_exit,
    thrd_yield/0 => thrd_yield,
    thrd_sleep/2 => thrd_sleep,
    mtx_init/2 => mtx_init,
    mtx_destroy/1 => mtx_destroy,
    mtx_lock/1 => mtx_lock,
    mtx_trylock/1 => mtx_trylock,
    mtx_timedlock/2 => mtx_timedlock,
    mtx_unlock/1 => mtx_unlock,
    cnd_init/1 => cnd_init,
    cnd_destroy/1 => cnd_destroy,
    cnd_wait/2 => cnd_wait,
    cnd_timedwait/3 => cnd_timedwait,
    cnd_signal/1 => cnd_signal,
    cnd_broadcast/1 => cnd_broadcast,
    call_once/2 => call_once,
    tss_create/2 => tss_create,
    tss_delete/1 => tss_delete,
}

type Mutex = *mut libc::pthread_mutex_t;
type Condvar = *mut libc::pthread_cond_t;
type Time = *const libc::timespec;
type Destructor = extern "C-unwind" fn(*mut c_void);

/// What C11 calls an error of POSIX.
fn result(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ENOMEM => NO_MEMORY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

extern "C-unwind" fn thrd_create(out: *mut usize, entry: usize, argument: usize, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) => result(rt.spawn(entry, argument, false, out, pc)),
        None => real!(thrd_create(out => *mut usize, entry => usize, argument => usize) -> c_int),
    }
}

extern "C-unwind" fn thrd_join(thread: usize, out: *mut c_int, pc: usize) -> c_int {
    if !crate::rt::in_control() {
        return real!(thrd_join(thread => usize, out => *mut c_int) -> c_int);
    }
    let mut value = 0usize;
    let error = threads::join(thread, &mut value, pc);
    if error == 0 && !out.is_null() {
        // SAFETY: the program's own.
        unsafe { *out = value as c_int };
    }
    result(error)
}

extern "C-unwind" fn thrd_detach(thread: usize, pc: usize) -> c_int {
    result(threads::detach(thread, pc))
}

extern "C-unwind" fn thrd_exit(value: c_int, pc: usize) {
    threads::exit(value as usize, pc);
}

extern "C-unwind" fn thrd_yield(pc: usize) {
    time::yields(pc);
}

extern "C-unwind" fn thrd_sleep(length: Time, rest: *mut libc::timespec, pc: usize) -> c_int {
    time::nanosleep(length, rest, pc)
}

extern "C-unwind" fn mtx_init(lock: Mutex, kind: c_int, pc: usize) -> c_int {
    const RECURSIVE: c_int = 1;
    // SAFETY: attributes that are made here.
    unsafe {
        let mut attributes: libc::pthread_mutexattr_t = std::mem::zeroed();
        libc::pthread_mutexattr_init(&mut attributes);
        let kind =
            if kind & RECURSIVE != 0 { libc::PTHREAD_MUTEX_RECURSIVE } else { libc::PTHREAD_MUTEX_NORMAL };
        libc::pthread_mutexattr_settype(&mut attributes, kind);
        result(mutex::init(lock, (&raw const attributes).cast(), pc))
    }
}

extern "C-unwind" fn mtx_destroy(lock: Mutex, pc: usize) {
    mutex::destroy(lock, pc);
}

extern "C-unwind" fn mtx_lock(lock: Mutex, pc: usize) -> c_int {
    result(mutex::lock(lock, pc))
}

extern "C-unwind" fn mtx_trylock(lock: Mutex, pc: usize) -> c_int {
    result(mutex::try_lock(lock, pc))
}

extern "C-unwind" fn mtx_timedlock(lock: Mutex, time: Time, pc: usize) -> c_int {
    result(mutex::timed_lock(lock, time, pc))
}

extern "C-unwind" fn mtx_unlock(lock: Mutex, pc: usize) -> c_int {
    result(mutex::unlock(lock, pc))
}

extern "C-unwind" fn cnd_init(condvar: Condvar, pc: usize) -> c_int {
    result(condvar::init(condvar, std::ptr::null(), pc))
}

extern "C-unwind" fn cnd_destroy(condvar: Condvar, pc: usize) {
    condvar::destroy(condvar, pc);
}

extern "C-unwind" fn cnd_wait(condvar: Condvar, lock: Mutex, pc: usize) -> c_int {
    result(condvar::wait(condvar, lock, pc))
}

extern "C-unwind" fn cnd_timedwait(condvar: Condvar, lock: Mutex, time: Time, pc: usize) -> c_int {
    result(condvar::timed_wait(condvar, lock, time, pc))
}

extern "C-unwind" fn cnd_signal(condvar: Condvar, pc: usize) -> c_int {
    result(condvar::signal(condvar, pc))
}

extern "C-unwind" fn cnd_broadcast(condvar: Condvar, pc: usize) -> c_int {
    result(condvar::broadcast(condvar, pc))
}

extern "C-unwind" fn call_once(control: *mut i32, routine: extern "C-unwind" fn(), pc: usize) {
    once::once(control, routine, pc);
}

extern "C-unwind" fn tss_create(key: *mut u32, destructor: Option<Destructor>, pc: usize) -> c_int {
    result(keys::create(key, destructor, pc))
}

extern "C-unwind" fn tss_delete(key: u32, pc: usize) {
    keys::delete(key, pc);
}
