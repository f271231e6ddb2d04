//! Giving way to other tasks.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use caissa_core::{ObjectId, Op, OpKind};

use crate::rt;
use crate::rt::Source;

/// Lets other tasks be polled before this one goes on. It says that this task makes no progress by itself.
#[track_caller]
pub fn yield_now() -> YieldNow {
    YieldNow { yielded: false, source: Location::caller() }
}

/// See [`yield_now`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct YieldNow {
    yielded: bool,
    source: Source,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.yielded, true) {
            return Poll::Ready(());
        }
        match rt::current() {
            Some(rt) => {
                rt.point(Op::new(OpKind::Yield, ObjectId(rt.current().0)), self.source);
                rt.touch_nothing();
                rt.yields();
                rt.wake_within_step([cx.waker().clone()]);
            }
            None => cx.waker().wake_by_ref(),
        }
        Poll::Pending
    }
}
