//! What would differ from run to run: random numbers, the number of the process. Here it is the same every time.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use caissa_core::class::{Access, mix};

use super::stubs;
use crate::memory::How;
use crate::real::real;
use crate::rt::Rt;

stubs! {
    getrandom/3 => getrandom,
    getentropy/2 => getentropy,
    arc4random/0 => arc4random,
    getpid/0 => getpid,
    getppid/0 => getppid,
    gettid/0 => gettid,
    // std::random_device, which may ask the processor.
    _ZNSt13random_device9_M_getvalEv/1 => random_device,
}

/// The number that a process under control has. No process of the system has it, whatever a program does with it.
pub(super) const PROCESS: c_int = 0x4000_0000 + 4242;

static DRAWN: AtomicU64 = AtomicU64::new(0);

/// A new execution begins.
pub(super) fn reset() {
    DRAWN.store(0, Ordering::Relaxed);
}

/// Numbers are drawn one after the other: whoever comes first gets the first.
fn touch(rt: &Rt) {
    rt.gets_on();
    let state = rt.state();
    if state.execution.counts_classes() {
        let me = state.running;
        state.execution.past_mut(me).touch(&mut state.random_past, Access::Write);
    }
}

fn draw() -> u64 {
    mix(DRAWN.fetch_add(1, Ordering::Relaxed) ^ 0xca15_5a00)
}

fn fill(buffer: *mut u8, length: usize) {
    for index in 0..length {
        // SAFETY: the program's own buffer.
        unsafe { buffer.add(index).write(draw() as u8) };
    }
}

pub(super) extern "C-unwind" fn getrandom(buffer: *mut u8, length: usize, flags: c_uint, pc: usize) -> isize {
    match Rt::enter() {
        Some(rt) => {
            touch(&rt);
            rt.access(buffer as usize, length, How::Write, pc);
        }
        None if crate::start::is_waiting() => {}
        None => return real!(getrandom(buffer => *mut u8, length => usize, flags => c_uint) -> isize),
    }
    fill(buffer, length);
    length as isize
}

extern "C-unwind" fn getentropy(buffer: *mut u8, length: usize, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(getentropy(buffer => *mut u8, length => usize) -> c_int) };
    touch(&rt);
    rt.access(buffer as usize, length, How::Write, pc);
    fill(buffer, length);
    0
}

extern "C-unwind" fn arc4random(_pc: usize) -> u32 {
    match Rt::enter() {
        Some(rt) => {
            touch(&rt);
            draw() as u32
        }
        None => real!(arc4random() -> u32),
    }
}

extern "C-unwind" fn random_device(device: *mut c_void, _pc: usize) -> u32 {
    match Rt::enter() {
        Some(rt) => {
            touch(&rt);
            draw() as u32
        }
        None => real!(_ZNSt13random_device9_M_getvalEv(device => *mut c_void) -> u32),
    }
}

pub(super) extern "C-unwind" fn getpid(_pc: usize) -> c_int {
    match Rt::enter() {
        Some(_rt) => PROCESS,
        None => real!(getpid() -> c_int),
    }
}

pub(super) extern "C-unwind" fn getppid(_pc: usize) -> c_int {
    match Rt::enter() {
        Some(_rt) => PROCESS - 1,
        None => real!(getppid() -> c_int),
    }
}

pub(super) extern "C-unwind" fn gettid(_pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) => PROCESS + rt.me().0 as c_int,
        None => real!(gettid() -> c_int),
    }
}
