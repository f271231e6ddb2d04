//! A timer by itself, and what the kernel tells of who polls it.

use std::ffi::c_int;

/// A file of timers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    pub(crate) fd: c_int,
    /// The clock that its absolute times are of.
    pub(crate) clock: c_int,
    /// When it goes off next, if it is set.
    pub(crate) deadline: Option<u64>,
    /// Then it does so again and again, so much later; 0 if it does not.
    pub(crate) interval: u64,
}

impl Timer {
    /// So often it has gone off by now, since it was asked last.
    pub(super) fn count(&mut self, now: u64) -> u64 {
        let Some(deadline) = self.deadline.filter(|&deadline| deadline <= now) else { return 0 };
        let Some(more) = (now - deadline).checked_div(self.interval) else {
            self.deadline = None;
            return 1;
        };
        self.deadline = Some(deadline.saturating_add(self.interval.saturating_mul(more + 1)));
        more + 1
    }
}

/// The file that a line of what the kernel tells of a poller is about, if it looks whether that is readable: `tfd: 5 events: 19 data: ...`.
pub(super) fn polled(line: &str) -> Option<c_int> {
    let mut words = line.strip_prefix("tfd:")?.split_whitespace();
    let fd = words.next()?.parse().ok()?;
    let events = u32::from_str_radix(words.nth(1)?, 16).ok()?;
    (events & libc::EPOLLIN as u32 != 0).then_some(fd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_count_how_often_they_have_gone_off() {
        let mut once = Timer { fd: 3, clock: 1, deadline: Some(10), interval: 0 };
        assert_eq!([9, 10, 100].map(|now| once.count(now)), [0, 1, 0]);
        assert_eq!(once.deadline, None);
        let mut again = Timer { fd: 3, clock: 1, deadline: Some(10), interval: 5 };
        assert_eq!([9, 10, 14, 31, 34].map(|now| again.count(now)), [0, 1, 0, 4, 0]);
        assert_eq!(again.deadline, Some(35));
    }

    #[test]
    fn pollers_tell_which_files_they_look_at() {
        let line = "tfd:        7 events: 40000019 data:                7  pos:0 ino:4 sdev:d";
        assert_eq!(polled(line), Some(7));
        assert_eq!(polled("tfd:        7 events: 40000000 data: 7  pos:0"), None);
        assert_eq!(polled("flags:\t02"), None);
    }
}
