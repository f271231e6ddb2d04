//! Timers that are files (`timerfd`); [`crate::timers`] says how they are made.

use std::ffi::c_int;

use super::time::{deadline_of, nanoseconds, timespec};
use super::{fails, stubs};
use crate::files::kind_of;
use crate::real::real;
use crate::rt::Rt;
use crate::timers::{Timer, show};

type Setting = *const libc::itimerspec;
type Out = *mut libc::itimerspec;

stubs! {
    timerfd_create/2 => create,
    timerfd_settime/4 => set,
    timerfd_gettime/2 => get,
}

const CLOCKS: [c_int; 5] = [
    libc::CLOCK_REALTIME,
    libc::CLOCK_MONOTONIC,
    libc::CLOCK_BOOTTIME,
    libc::CLOCK_REALTIME_ALARM,
    libc::CLOCK_BOOTTIME_ALARM,
];

/// Why a descriptor is not one of a timer.
fn no_timer(fd: c_int) -> c_int {
    fails(if kind_of(fd).is_none() { libc::EBADF } else { libc::EINVAL })
}

impl Rt {
    /// What is left until a timer goes off.
    fn tell(&self, timer: &Timer, out: Out) {
        let now = self.now();
        let left = timer.deadline.map_or(0, |deadline| deadline.saturating_sub(now).max(1));
        // SAFETY: the program's own.
        unsafe {
            *out = libc::itimerspec { it_interval: timespec(timer.interval), it_value: timespec(left) }
        };
    }
}

pub(super) extern "C-unwind" fn create(clock: c_int, flags: c_int, _pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(timerfd_create(clock => c_int, flags => c_int) -> c_int);
    };
    if !CLOCKS.contains(&clock) || flags & !(libc::TFD_NONBLOCK | libc::TFD_CLOEXEC) != 0 {
        return fails(libc::EINVAL);
    }
    let fd = real!(timerfd_create(libc::CLOCK_REALTIME => c_int, flags => c_int) -> c_int);
    rt.gets_on();
    if fd >= 0 {
        let state = rt.state();
        state.timers_made += 1;
        let number = state.timers_made;
        show(fd, number, 0);
        state.timers.push(Timer { number, clock, deadline: None, interval: 0, unread: 0 });
    }
    fd
}

pub(super) extern "C-unwind" fn set(fd: c_int, flags: c_int, new: Setting, old: Out, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(timerfd_settime(fd => c_int, flags => c_int, new => Setting, old => Out) -> c_int);
    };
    rt.timer_point(fd, pc);
    let Some(timer) = rt.timer(fd) else { return no_timer(fd) };
    if flags & !(libc::TFD_TIMER_ABSTIME | libc::TFD_TIMER_CANCEL_ON_SET) != 0 {
        return fails(libc::EINVAL);
    }
    // SAFETY: the program's own.
    let setting = unsafe { *new };
    let is_time = |time: &libc::timespec| time.tv_sec >= 0;
    if ![setting.it_value, setting.it_interval].iter().all(is_time) {
        return fails(libc::EINVAL);
    }
    let times = (nanoseconds(setting.it_value), nanoseconds(setting.it_interval));
    let (Some(value), Some(interval)) = times else { return fails(libc::EINVAL) };
    if !old.is_null() {
        rt.tell(timer, old);
    }
    let now = rt.now();
    timer.interval = interval;
    timer.deadline = match value {
        0 => None,
        _ if flags & libc::TFD_TIMER_ABSTIME != 0 => deadline_of(&setting.it_value, timer.clock),
        value => Some(now.saturating_add(value)),
    };
    rt.gets_on();
    // What it has counted is forgotten.
    show(fd, timer.number, 0);
    rt.touch_timer(fd);
    0
}

pub(super) extern "C-unwind" fn get(fd: c_int, out: Out, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(timerfd_gettime(fd => c_int, out => Out) -> c_int);
    };
    rt.timer_point(fd, pc);
    let Some(timer) = rt.timer(fd) else { return no_timer(fd) };
    rt.tell(timer, out);
    rt.touch_timer(fd);
    0
}
