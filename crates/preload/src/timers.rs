//! Files of timers (`timerfd`): timers of the kernel's, which are set to a time that has passed when virtual time has come to the program's deadline. So they can be
//! polled, read and copied like any other.
//!
//! A task that waits for such a file, or for a poller that it was given to, waits until then at the latest: time passes as for any other wait with a
//! deadline. Which files a poller looks at is asked of the kernel, and so is which timer a descriptor is of: each has an interval of its own.

mod timer;

use std::ffi::c_int;

use caissa_core::OpKind;
use caissa_core::class::Access;

use crate::rt::Rt;
use crate::sys;

pub(crate) use timer::Timer;
use timer::{MINUTE, number_of, polled};

/// Pollers that look at pollers are followed so far.
const NESTED: u32 = 5;
/// For so long the kernel may take to notice that a time has passed, in milliseconds.
const NOTICES: usize = 10_000;

/// What the kernel tells of a file.
fn told_of(fd: c_int) -> String {
    std::fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default()
}

/// Whether somebody who waits for a file to be readable waits for a timer: that is the file, or one that it polls.
fn waits_for(fd: c_int, timer: u32, nested: u32) -> bool {
    let told = told_of(fd);
    if number_of(&told) == Some(timer) {
        return true;
    }
    told.lines().filter_map(polled).any(|file| nested > 0 && waits_for(file, timer, nested - 1))
}

/// Some descriptor of a timer, if it is open.
fn descriptor_of(timer: u32) -> Option<c_int> {
    let descriptors = std::fs::read_dir("/proc/self/fd").ok()?;
    let descriptors = descriptors.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    descriptors.into_iter().find(|&fd| number_of(&told_of(fd)) == Some(timer))
}

/// Sets a timer of the kernel's to a time that has passed, so that it has counted to this; with 0 to none.
pub(crate) fn show(fd: c_int, timer: u32, count: u64) {
    let interval = libc::timespec { tv_sec: MINUTE, tv_nsec: timer as i64 };
    let mut value = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    if count > 0 {
        // SAFETY: the clock is told to a place of ours.
        unsafe {
            sys::call(libc::SYS_clock_gettime, libc::CLOCK_REALTIME as usize, (&raw mut value) as usize, 0)
        };
        let minutes = i64::try_from(count - 1).unwrap_or(i64::MAX);
        let back = minutes.saturating_mul(MINUTE).saturating_add(minutes / 1_000_000_000 * timer as i64);
        let rest = minutes % 1_000_000_000 * timer as i64 / 1_000_000_000;
        value.tv_sec = value.tv_sec.saturating_sub(back).saturating_sub(rest + 2).max(1);
    }
    let setting = libc::itimerspec { it_interval: interval, it_value: value };
    let absolute = libc::TFD_TIMER_ABSTIME as usize;
    // SAFETY: the setting is ours; the file is a timer.
    unsafe { sys::call(libc::SYS_timerfd_settime, fd as usize, absolute, (&raw const setting) as usize) };
    if count > 0 {
        let mut entry = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, which lives long enough.
        unsafe { sys::call(libc::SYS_poll, (&raw mut entry) as usize, 1, NOTICES) };
    }
}

impl Rt {
    /// The timer that a descriptor is of.
    pub(crate) fn timer(&self, fd: c_int) -> Option<&'static mut Timer> {
        if self.state().timers.is_empty() {
            return None;
        }
        let number = number_of(&told_of(fd))?;
        self.state().timers.iter_mut().find(|timer| timer.number == number)
    }

    /// When a wait for files ends at the latest: at its own deadline, or when a timer goes off that it waits for.
    pub(crate) fn due(&self, files: &[libc::pollfd], deadline: Option<u64>) -> Option<u64> {
        let set = self.state().timers.iter().filter_map(|timer| Some((timer.number, timer.deadline?)));
        let waits = |timer: u32| {
            let readable = files.iter().filter(|file| file.events & libc::POLLIN != 0);
            readable.map(|file| file.fd).any(|fd| waits_for(fd, timer, NESTED))
        };
        let timers = set.filter(|&(timer, _)| waits(timer)).map(|(_, deadline)| deadline);
        timers.chain(deadline).min()
    }

    /// The point before something is done with a timer.
    pub(crate) fn timer_point(&self, fd: c_int, pc: usize) {
        let object = self.channel(fd);
        self.point(self.op(OpKind::Io, object), pc);
    }

    /// Something was done with a timer.
    pub(crate) fn touch_timer(&self, fd: c_int) {
        let object = self.channel(fd);
        self.touch(object, Access::Write);
        self.let_timers_go_off();
        self.refresh_files();
    }

    /// The running task has looked at files without waiting. If it does so again and again while timers are set, time passes, as it does for who looks at clocks.
    pub(crate) fn look_at_timers(&self) {
        if self.state().timers.iter().any(|timer| timer.deadline.is_some()) {
            self.look_at_clock();
        }
    }

    /// Timers that time has come to count. Those that nobody has a descriptor of any more are forgotten.
    pub(crate) fn let_timers_go_off(&self) {
        let now = self.state().execution.now();
        let mut index = 0;
        while index < self.state().timers.len() {
            let timer = &mut self.state().timers[index];
            let (number, count) = (timer.number, timer.count(now));
            index += 1;
            if count == 0 {
                continue;
            }
            let Some(fd) = descriptor_of(number) else {
                index -= 1;
                self.state().timers.remove(index);
                continue;
            };
            let is_unread = sys::poll_now(fd, libc::POLLIN) != 0;
            timer.unread = count + if is_unread { timer.unread } else { 0 };
            show(fd, number, timer.unread);
            let object = self.channel(fd);
            self.touch_class(object, Access::Write);
        }
    }
}
