//! Futures that have a limited time.

use std::future::{Future, IntoFuture};
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::{Instant, Sleep, later};

/// What timers fail with.
pub mod error {
    use std::fmt;

    /// The time has passed.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Elapsed(pub(super) ());

    impl fmt::Display for Elapsed {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the time has passed")
        }
    }

    impl std::error::Error for Elapsed {}
}

use error::Elapsed;

/// Waits for a future, but not longer than this from now on.
#[track_caller]
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    let sleep = Sleep::new(later(duration), Location::caller());
    Timeout { future: Box::pin(future.into_future()), sleep }
}

/// Waits for a future, but not beyond a moment.
#[track_caller]
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout { future: Box::pin(future.into_future()), sleep: Sleep::new(deadline, Location::caller()) }
}

/// See [`timeout`]. The future is polled first, so that one which is ready wins over a time that has passed.
#[must_use = "futures do nothing unless polled"]
#[derive(Debug)]
pub struct Timeout<F> {
    future: Pin<Box<F>>,
    sleep: Sleep,
}

impl<F> Timeout<F> {
    /// The future.
    pub fn get_ref(&self) -> &F {
        &self.future
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<F::Output, Elapsed>> {
        let Timeout { future, sleep } = self.get_mut();
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }
        Pin::new(sleep).poll(cx).map(|()| Err(Elapsed(())))
    }
}
