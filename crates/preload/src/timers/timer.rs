//! A timer by itself, and what the kernel tells of who polls it.

use std::ffi::c_int;

/// The kernel's timers go off again after so many seconds, by which time nobody waits for them any more, and a number of nanoseconds by which they are known.
pub(super) const MINUTE: i64 = 60;

/// A file of timers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    /// Which one: from 1 on.
    pub(crate) number: u32,
    /// The clock that its absolute times are of.
    pub(crate) clock: c_int,
    /// When it goes off next, if it is set.
    pub(crate) deadline: Option<u64>,
    /// Then it does so again and again, so much later; 0 if it does not.
    pub(crate) interval: u64,
    /// What the kernel's timer shows, unless it was read since.
    pub(crate) unread: u64,
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

/// The number of the timer that what the kernel tells of a file is about: `it_interval: (60, 3)`.
pub(super) fn number_of(told: &str) -> Option<u32> {
    let interval = told.lines().find_map(|line| line.strip_prefix("it_interval:"))?;
    let (seconds, number) = interval.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(", ")?;
    (seconds.parse() == Ok(MINUTE)).then(|| number.parse().ok())?.filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_count_how_often_they_have_gone_off() {
        let timer = |interval| Timer { number: 1, clock: 1, deadline: Some(10), interval, unread: 0 };
        let mut once = timer(0);
        assert_eq!([9, 10, 100].map(|now| once.count(now)), [0, 1, 0]);
        assert_eq!(once.deadline, None);
        let mut again = timer(5);
        assert_eq!([9, 10, 14, 31, 34].map(|now| again.count(now)), [0, 1, 0, 4, 0]);
        assert_eq!(again.deadline, Some(35));
    }

    #[test]
    fn timers_are_known_by_their_intervals() {
        let told =
            |interval: &str| format!("flags:\t02\nticks: 0\nit_value: (0, 0)\nit_interval: {interval}\n");
        assert_eq!(number_of(&told("(60, 12)")), Some(12));
        for other in ["(60, 0)", "(1, 12)", "(0, 0)", "60"] {
            assert_eq!(number_of(&told(other)), None, "{other}");
        }
        assert_eq!(number_of("flags:\t02\n"), None);
    }

    #[test]
    fn pollers_tell_which_files_they_look_at() {
        let line = "tfd:        7 events: 40000019 data:                7  pos:0 ino:4 sdev:d";
        assert_eq!(polled(line), Some(7));
        assert_eq!(polled("tfd:        7 events: 40000000 data: 7  pos:0"), None);
        assert_eq!(polled("flags:\t02"), None);
    }
}
