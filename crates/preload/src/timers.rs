//! Files of timers (`timerfd`): counters of the kernel's (`eventfd`), which count when virtual time has come to the next deadline.
//!
//! A task that waits for such a file, or for a poller that it was given to, waits until then at the latest: time passes as for any other wait with a
//! deadline. Which files a poller looks at is asked of the kernel, so that it does not matter how they came there. Not seen: a timer that is set by a
//! copy of its descriptor, which is refused.

mod timer;

use std::ffi::c_int;

use caissa_core::OpKind;
use caissa_core::class::Access;

use crate::rt::Rt;
use crate::sys;

pub(crate) use timer::Timer;
use timer::polled;

/// Pollers that look at pollers are followed so far.
const NESTED: u32 = 5;

/// Whether somebody who waits for a file to be readable waits for another one: itself, or one that it polls.
fn waits_for(fd: c_int, wanted: c_int, nested: u32) -> bool {
    if fd == wanted {
        return true;
    }
    let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
    told.lines().filter_map(polled).any(|file| nested > 0 && waits_for(file, wanted, nested - 1))
}

impl Rt {
    /// When a wait for files ends at the latest: at its own deadline, or when a timer goes off that it waits for.
    pub(crate) fn due(&self, files: &[libc::pollfd], deadline: Option<u64>) -> Option<u64> {
        let set = self.state().timers.iter().filter_map(|timer| Some((timer.fd, timer.deadline?)));
        let waits = |timer: c_int| {
            let readable = files.iter().filter(|file| file.events & libc::POLLIN != 0);
            readable.map(|file| file.fd).any(|fd| waits_for(fd, timer, NESTED))
        };
        let timers = set.filter(|&(fd, _)| waits(fd)).map(|(_, deadline)| deadline);
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

    /// Timers that time has come to count.
    pub(crate) fn let_timers_go_off(&self) {
        let now = self.state().execution.now();
        for index in 0..self.state().timers.len() {
            let timer = &mut self.state().timers[index];
            let (fd, count) = (timer.fd, timer.count(now));
            if count > 0 {
                // SAFETY: the counter takes eight bytes.
                unsafe { sys::call(libc::SYS_write, fd as usize, (&raw const count) as usize, 8) };
                let object = self.channel(fd);
                self.touch_class(object, Access::Write);
            }
        }
    }
}
