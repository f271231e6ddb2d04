//! Timers on virtual time, shaped like those of `tokio::time`.
//!
//! Inside a check time does not pass by itself. A timer fires when nobody else can go on, the earliest first, or, as a
//! fault, while others could. Then the clock jumps to its deadline. Outside a check time is real.

mod interval;
mod timeout;

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use caissa_core::{ObjectId, Op, OpKind};

pub use crate::time::Instant;
pub use interval::{Interval, MissedTickBehavior, interval, interval_at};
pub use timeout::{Timeout, error, timeout, timeout_at};

use crate::rt;
use crate::rt::Source;

/// Waits until some time has passed, from now on.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    Sleep::new(later(duration), Location::caller())
}

/// Waits until a moment.
#[track_caller]
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep::new(deadline, Location::caller())
}

/// The present moment, read in the step that a poll has just taken.
fn present() -> Instant {
    match rt::current() {
        Some(rt) => Instant::of_virtual_clock(rt.now()),
        None => Instant::now(),
    }
}

/// This much after the present moment; at the latest so late that it never comes. Inside a check a scheduling point.
#[track_caller]
fn later(duration: Duration) -> Instant {
    let far = Duration::from_secs(86400 * 365 * 30);
    let now = match rt::current() {
        Some(rt) => {
            rt.point(Op::new(OpKind::SetTimer, ObjectId(rt.current().0)), Location::caller());
            Instant::of_virtual_clock(rt.now())
        }
        None => Instant::now(),
    };
    now.checked_add(duration).or_else(|| now.checked_add(far)).unwrap_or(now)
}

/// See [`sleep`].
#[must_use = "futures do nothing unless polled"]
#[derive(Debug)]
pub struct Sleep {
    deadline: Instant,
    source: Source,
    /// Its timer inside a check.
    ticket: Option<u64>,
    /// A thread outside that sleeps until the deadline, and whom it wakes then.
    thread: Option<Arc<Mutex<Waker>>>,
}

impl Sleep {
    fn new(deadline: Instant, source: Source) -> Sleep {
        Sleep { deadline, source, ticket: None, thread: None }
    }

    /// When it ends.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether the deadline has passed.
    #[track_caller]
    pub fn is_elapsed(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Waits until another moment instead.
    pub fn reset(self: Pin<&mut Self>, deadline: Instant) {
        self.get_mut().set(deadline);
    }

    fn set(&mut self, deadline: Instant) {
        self.stop();
        self.deadline = deadline;
    }

    fn stop(&mut self) {
        self.thread = None;
        match rt::current() {
            Some(rt) => rt.drop_timer(&mut self.ticket),
            None => self.ticket = None,
        }
    }

    fn poll_outside(&mut self, cx: &Context<'_>) -> bool {
        let now = Instant::now();
        if now >= self.deadline {
            return true;
        }
        if let Some(waker) = &self.thread {
            waker.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cx.waker());
            return false;
        }
        let waker = Arc::new(Mutex::new(cx.waker().clone()));
        let (left, sleeper) = (self.deadline.duration_since(now), Arc::clone(&waker));
        std::thread::spawn(move || {
            std::thread::sleep(left);
            // Nobody waits any more if this is the last one that knows of it.
            if Arc::strong_count(&sleeper) > 1 {
                sleeper.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
            }
        });
        self.thread = Some(waker);
        false
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let passed = match (rt::current(), this.deadline.on_virtual_clock()) {
            (Some(rt), Some(deadline)) => rt.poll_timer(deadline, &mut this.ticket, cx.waker(), this.source),
            // `Instant` says what is wrong with comparing moments of inside and outside.
            (Some(_), None) => Instant::now().duration_since(this.deadline).is_zero(),
            (None, _) => this.poll_outside(cx),
        };
        if passed { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.stop();
    }
}
