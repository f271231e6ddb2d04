//! Drop-in replacements for [`std::time`].
//!
//! Inside a check time is virtual: it begins at 0 with each execution and does not pass by itself. When a timeout or a sleep
//! takes effect it jumps to where that ends. So a program that measures time is deterministic, and a sleep takes none.
//! [`Duration`] is std's.
//!
//! `SystemTime` and `UNIX_EPOCH` are not here: the time of day differs from run to run, and a program whose behaviour depends
//! on it cannot be replayed. Pass such a time into the code under test.

use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::panic::Location;

use caissa_core::{ObjectId, Op, OpKind};

pub use std::time::{Duration, TryFromFloatSecsError};

use crate::rt::clock::nanoseconds;
use crate::rt::engine::saw;
use crate::rt::{self, Misuse};

/// A moment; see [`std::time::Instant`].
///
/// One of inside a check and one of outside have nothing in common: any of inside counts as earlier than all of outside, and
/// there is no duration between them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Moment);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Moment {
    /// Nanoseconds of virtual time.
    Virtual(u64),
    Real(std::time::Instant),
}

impl Instant {
    /// The present moment. Inside a check a scheduling point, which reads the virtual clock.
    #[track_caller]
    #[must_use]
    pub fn now() -> Instant {
        match rt::current() {
            Some(rt) => {
                rt.point(Op::new(OpKind::Now, ObjectId(rt.current().0)), Location::caller());
                let now = rt.look_at_clock();
                rt.note(|| saw(Duration::from_nanos(now)));
                Instant(Moment::Virtual(now))
            }
            None => Instant(Moment::Real(std::time::Instant::now())),
        }
    }

    /// The time from `earlier` to this moment; zero if `earlier` is later.
    #[track_caller]
    #[must_use]
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// The time from `earlier` to this moment; `None` if `earlier` is later.
    #[track_caller]
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        match (self.0, earlier.0) {
            (Moment::Virtual(now), Moment::Virtual(earlier)) => {
                now.checked_sub(earlier).map(Duration::from_nanos)
            }
            (Moment::Real(now), Moment::Real(earlier)) => now.checked_duration_since(earlier),
            _ => mixed(),
        }
    }

    /// The time from `earlier` to this moment; zero if `earlier` is later.
    #[track_caller]
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.checked_duration_since(earlier).unwrap_or_default()
    }

    /// The time that has passed since this moment.
    #[track_caller]
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }

    /// This much later, if there is such a moment.
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Virtual(now) => {
                Moment::Virtual(now.checked_add(u64::try_from(duration.as_nanos()).ok()?)?)
            }
            Moment::Real(now) => Moment::Real(now.checked_add(duration)?),
        }))
    }

    /// This much earlier, if there is such a moment. Inside a check there is none before the execution began.
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant> {
        Some(Instant(match self.0 {
            Moment::Virtual(now) => Moment::Virtual(now.checked_sub(nanoseconds(duration))?),
            Moment::Real(now) => Moment::Real(now.checked_sub(duration)?),
        }))
    }

    /// The deadline on the virtual clock; `None` for a moment outside.
    pub(crate) fn on_virtual_clock(self) -> Option<u64> {
        match self.0 {
            Moment::Virtual(time) => Some(time),
            Moment::Real(_) => None,
        }
    }

    /// A moment of virtual time.
    pub(crate) fn of_virtual_clock(time: u64) -> Instant {
        Instant(Moment::Virtual(time))
    }
}

/// A moment of inside a check met one of outside.
#[cold]
#[track_caller]
fn mixed() -> ! {
    let misuse = Misuse::MixedTimes { source: Location::caller() };
    match rt::current() {
        Some(rt) => rt.misuse(misuse),
        None => panic!("{misuse}"),
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    #[track_caller]
    fn add(self, duration: Duration) -> Instant {
        self.checked_add(duration).expect("overflow when adding duration to instant")
    }
}

impl AddAssign<Duration> for Instant {
    #[track_caller]
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    #[track_caller]
    fn sub(self, duration: Duration) -> Instant {
        self.checked_sub(duration).expect("overflow when subtracting duration from instant")
    }
}

impl SubAssign<Duration> for Instant {
    #[track_caller]
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    #[track_caller]
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

impl std::fmt::Debug for Instant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Moment::Virtual(time) => f.debug_tuple("Instant").field(&Duration::from_nanos(time)).finish(),
            Moment::Real(time) => time.fmt(f),
        }
    }
}
