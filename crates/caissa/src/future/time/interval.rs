//! Timers that fire again and again.

use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::{Instant, Sleep, present};

/// When an interval ticks after it was late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissedTickBehavior {
    /// At once, until all that were missed have been.
    #[default]
    Burst,
    /// A period after the late one.
    Delay,
    /// At the next multiple of the period.
    Skip,
}

/// Ticks now and then after each period.
///
/// # Panics
/// If the period is zero.
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    interval_at(Instant::now(), period)
}

/// Ticks first at a moment and then after each period.
///
/// # Panics
/// If the period is zero.
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    assert!(!period.is_zero(), "the period of an interval must not be zero");
    Interval { sleep: Sleep::new(start, Location::caller()), period, missed: MissedTickBehavior::default() }
}

/// See [`interval`].
#[derive(Debug)]
pub struct Interval {
    sleep: Sleep,
    period: Duration,
    missed: MissedTickBehavior,
}

impl Interval {
    /// Waits for the next tick and tells when it was due.
    pub fn tick(&mut self) -> impl Future<Output = Instant> {
        poll_fn(|cx| self.poll_tick(cx))
    }

    /// See [`Interval::tick`].
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        if Pin::new(&mut self.sleep).poll(cx).is_pending() {
            return Poll::Pending;
        }
        let due = self.sleep.deadline();
        let now = present();
        let next = match self.missed {
            // As tokio: a few milliseconds late is not late.
            _ if now <= due + Duration::from_millis(5) => due + self.period,
            MissedTickBehavior::Burst => due + self.period,
            MissedTickBehavior::Delay => now + self.period,
            MissedTickBehavior::Skip => {
                let late = now.duration_since(due).as_nanos() % self.period.as_nanos();
                now + self.period - Duration::from_nanos(u64::try_from(late).unwrap_or(0))
            }
        };
        self.sleep.set(next);
        Poll::Ready(due)
    }

    /// The next tick comes a period from now.
    #[track_caller]
    pub fn reset(&mut self) {
        self.sleep.set(Instant::now() + self.period);
    }

    /// The time between two ticks.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// What happens after a tick that was late.
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed
    }

    /// Sets what happens after a tick that was late.
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed = behavior;
    }
}
