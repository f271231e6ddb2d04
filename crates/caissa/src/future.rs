//! Async tasks, and what they wait for.
//!
//! [`spawn`] makes an async task and [`block_on`] runs a future on the present one. Inside a check every order in which
//! they can be polled is explored, with the preemptions that the bound allows, also inside polls: tasks of [`spawn`] run on
//! threads of their own, as on a runtime with enough of them, and tasks of [`spawn_local`] share the thread of their
//! `block_on`. A task that is never woken again is a deadlock, and the report says where its waker went.
//!
//! ```
//! use caissa::future::{block_on, spawn, sync::oneshot};
//!
//! caissa::check(|| {
//!     block_on(async {
//!         let (sender, receiver) = oneshot::channel();
//!         let task = spawn(async move { receiver.await.unwrap() + 1 });
//!         sender.send(41).unwrap();
//!         assert_eq!(task.await.unwrap(), 42);
//!     });
//! });
//! ```
//!
//! Futures of other crates that need nothing but a waker, such as those of `futures`, work unchanged. [`sync`] has locks and
//! channels shaped like tokio's. Outside a check a future that is spawned runs on a thread of its own.

mod local;
mod outside;
mod permits;
mod queue;
mod shared;
pub mod sync;
mod task;
pub mod time;
mod yields;

use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::task::{Context, Poll};

pub use local::spawn_local;
pub use task::{AbortHandle, JoinError, JoinHandle, spawn};
pub use yields::{YieldNow, yield_now};

use crate::rt::future::Outer;
use crate::rt::{self, Rt, Source};

/// Runs a future to its end on the present task, or thread.
///
/// Between two polls local tasks that it spawned may run. When it ends, those that have not ended are cancelled and their
/// destructors run before this returns.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    match rt::current() {
        Some(rt) => block_on_task(rt, future, Location::caller()),
        None => outside::block_on(future),
    }
}

fn block_on_task<F: Future>(rt: Rt, future: F, source: Source) -> F::Output {
    let frame = Frame { rt, outer: Some(rt.enter_async(None, true)) };
    let waker = rt.waker();
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    let output = loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => break output,
            Poll::Pending => rt.await_wake(source),
        }
    };
    let others = rt.others_of_local_set();
    frame.cancel_others();
    for task in others {
        rt.join(task, source);
    }
    output
}

/// A call of `block_on`.
struct Frame {
    rt: Rt,
    outer: Option<Outer>,
}

impl Frame {
    /// Cancels the local tasks that are left, and lets them run.
    fn cancel_others(&self) {
        for task in self.rt.others_of_local_set() {
            self.rt.cancel(task);
        }
        self.rt.leave_local_set();
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // If the future has panicked they are on their own.
        self.cancel_others();
        if let Some(outer) = self.outer.take() {
            self.rt.leave_async(outer);
        }
    }
}
