//! Clocks, sleeping and yielding. Time is virtual.

use std::ffi::{c_int, c_uint, c_void};

use caissa_core::OpKind;

use super::{fails, stubs, watched_stubs};
use crate::real::real;
use crate::rt::Rt;
use crate::spin::Stop;

type Time = *const libc::timespec;

const SECOND: u64 = 1_000_000_000;
/// When an execution begins, on the clock of the wall: 2023-11-14 22:13:20 UTC.
const EPOCH: u64 = 1_700_000_000 * SECOND;
/// And on the others.
const UPTIME: u64 = 1_000 * SECOND;

watched_stubs! {
    sched_yield/0 => yields,
    pthread_yield/0 => yields,
    nanosleep/2 => nanosleep,
    clock_nanosleep/4 => clock_nanosleep,
    usleep/1 => usleep,
    sleep/1 => sleep,
    clock_gettime/2 => clock_gettime,
}

stubs! {
    clock_getres/2 => clock_getres,
    gettimeofday/2 => gettimeofday,
    time/1 => time,
    clock/0 => clock,
    timespec_get/2 => timespec_get,
}

/// What a clock shows when an execution begins.
fn begin(clock: c_int) -> u64 {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_REALTIME_ALARM | libc::CLOCK_TAI => {
            EPOCH
        }
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => 0,
        _ => UPTIME,
    }
}

/// When the clock of a check shows what a time is on another clock. `None` if it is no time.
pub(super) fn deadline_of(time: Time, clock: c_int) -> Option<u64> {
    // SAFETY: the program's own.
    let nanoseconds = unsafe { nanoseconds(*time) }?;
    Some(nanoseconds.saturating_sub(begin(clock)))
}

pub(super) fn nanoseconds(time: libc::timespec) -> Option<u64> {
    if !(0..SECOND as i64).contains(&time.tv_nsec) {
        return None;
    }
    Some((time.tv_sec.max(0) as u64).saturating_mul(SECOND).saturating_add(time.tv_nsec as u64))
}

pub(super) fn timespec(nanoseconds: u64) -> libc::timespec {
    libc::timespec { tv_sec: (nanoseconds / SECOND) as i64, tv_nsec: (nanoseconds % SECOND) as i64 }
}

impl Rt {
    /// Reads a clock: a point.
    fn read_clock(&self, clock: c_int, pc: usize) -> u64 {
        let stop = Stop::at(pc);
        self.point(self.own_op(OpKind::Now), pc);
        if self.goes_round(stop) {
            self.has_yielded();
        }
        let now = self.look_at_clock();
        let state = self.state();
        if state.code.of_rust {
            // Tests count on it that some time passes between two readings.
            state.readings += 1;
        }
        begin(clock).saturating_add(now).saturating_add(state.readings)
    }
}

pub(super) extern "C-unwind" fn yields(pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(sched_yield() -> c_int) };
    if rt.state().is_spin(pc) {
        return 0;
    }
    let stop = Stop::at(pc);
    rt.point(rt.own_op(OpKind::Yield), pc);
    rt.goes_round(stop);
    rt.touch_nothing();
    rt.yields();
    0
}

pub(super) extern "C-unwind" fn nanosleep(time: Time, rest: *mut libc::timespec, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(nanosleep(time => Time, rest => *mut libc::timespec) -> c_int);
    };
    // SAFETY: the program's own.
    let Some(time) = nanoseconds(unsafe { *time }) else { return fails(libc::EINVAL) };
    rt.sleep(time, false, pc);
    0
}

pub(super) extern "C-unwind" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: Time,
    rest: *mut libc::timespec,
    pc: usize,
) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(clock_nanosleep(clock => c_int, flags => c_int, time => Time, rest => *mut libc::timespec) -> c_int);
    };
    let absolute = flags & libc::TIMER_ABSTIME != 0;
    // SAFETY: the program's own.
    let Some(time) = nanoseconds(unsafe { *time }) else { return libc::EINVAL };
    rt.sleep(if absolute { time.saturating_sub(begin(clock)) } else { time }, absolute, pc);
    0
}

extern "C-unwind" fn usleep(microseconds: c_uint, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(usleep(microseconds => c_uint) -> c_int) };
    rt.sleep(microseconds as u64 * 1_000, false, pc);
    0
}

extern "C-unwind" fn sleep(seconds: c_uint, pc: usize) -> c_uint {
    let Some(rt) = Rt::enter() else { return real!(sleep(seconds => c_uint) -> c_uint) };
    rt.sleep(seconds as u64 * SECOND, false, pc);
    0
}

pub(super) extern "C-unwind" fn clock_gettime(clock: c_int, out: *mut libc::timespec, pc: usize) -> c_int {
    let now = match Rt::enter() {
        Some(rt) => rt.read_clock(clock, pc),
        None if crate::start::is_waiting() => begin(clock),
        None => return real!(clock_gettime(clock => c_int, out => *mut libc::timespec) -> c_int),
    };
    // SAFETY: the program's own.
    unsafe { *out = timespec(now) };
    0
}

extern "C-unwind" fn clock_getres(clock: c_int, out: *mut libc::timespec, _pc: usize) -> c_int {
    let Some(_rt) = Rt::enter() else {
        return real!(clock_getres(clock => c_int, out => *mut libc::timespec) -> c_int);
    };
    if !out.is_null() {
        // SAFETY: the program's own.
        unsafe { *out = timespec(1) };
    }
    0
}

pub(super) extern "C-unwind" fn gettimeofday(out: *mut libc::timeval, zone: *mut c_void, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(gettimeofday(out => *mut libc::timeval, zone => *mut c_void) -> c_int);
    };
    let now = rt.read_clock(libc::CLOCK_REALTIME, pc);
    if !out.is_null() {
        let time = libc::timeval { tv_sec: (now / SECOND) as i64, tv_usec: (now % SECOND / 1_000) as i64 };
        // SAFETY: the program's own.
        unsafe { *out = time };
    }
    0
}

pub(super) extern "C-unwind" fn time(out: *mut i64, pc: usize) -> i64 {
    let Some(rt) = Rt::enter() else { return real!(time(out => *mut i64) -> i64) };
    let now = (rt.read_clock(libc::CLOCK_REALTIME, pc) / SECOND) as i64;
    if !out.is_null() {
        // SAFETY: the program's own.
        unsafe { *out = now };
    }
    now
}

extern "C-unwind" fn clock(pc: usize) -> i64 {
    let Some(rt) = Rt::enter() else { return real!(clock() -> i64) };
    (rt.read_clock(libc::CLOCK_PROCESS_CPUTIME_ID, pc) / 1_000) as i64
}

extern "C-unwind" fn timespec_get(out: *mut libc::timespec, base: c_int, pc: usize) -> c_int {
    const UTC: c_int = 1;
    let Some(rt) = Rt::enter() else {
        return real!(timespec_get(out => *mut libc::timespec, base => c_int) -> c_int);
    };
    if base != UTC {
        return 0;
    }
    let now = rt.read_clock(libc::CLOCK_REALTIME, pc);
    // SAFETY: the program's own.
    unsafe { *out = timespec(now) };
    base
}
