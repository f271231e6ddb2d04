//! Async tasks and their handles.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use caissa_core::{ObjectKind, TaskId};

use super::outside::{self, Remote};
use crate::rt::object::{Stamp, misuse_elsewhere};
use crate::rt::seat::Run;
use crate::rt::{self, Rt, Source};

/// Why an async task has no result.
pub struct JoinError(Why);

enum Why {
    Cancelled,
    /// What it panicked with; the lock only makes it `Sync`.
    Panic(Mutex<Box<dyn Any + Send>>),
}

impl JoinError {
    pub(super) fn cancelled() -> JoinError {
        JoinError(Why::Cancelled)
    }

    pub(super) fn panicked(payload: Box<dyn Any + Send>) -> JoinError {
        JoinError(Why::Panic(Mutex::new(payload)))
    }

    /// Whether the task was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0, Why::Cancelled)
    }

    /// Whether the task panicked.
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Why::Panic(_))
    }

    /// What the task panicked with.
    ///
    /// # Panics
    /// If it was cancelled.
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send + 'static> {
        self.try_into_panic().expect("the task was cancelled and did not panic")
    }

    /// What the task panicked with, or this error again if it did not.
    ///
    /// # Errors
    /// If the task was cancelled.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, JoinError> {
        match self.0 {
            Why::Panic(payload) => Ok(payload.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Why::Cancelled => Err(self),
        }
    }

    fn message(&self) -> Option<String> {
        let Why::Panic(payload) = &self.0 else { return None };
        let payload = payload.lock().unwrap_or_else(PoisonError::into_inner);
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned())
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0, self.message()) {
            (Why::Cancelled, _) => f.write_str("JoinError::Cancelled"),
            (Why::Panic(_), Some(message)) => write!(f, "JoinError::Panic({message:?})"),
            (Why::Panic(_), None) => f.write_str("JoinError::Panic(..)"),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0, self.message()) {
            (Why::Cancelled, _) => f.write_str("the task was cancelled"),
            (Why::Panic(_), Some(message)) => write!(f, "the task panicked with message {message:?}"),
            (Why::Panic(_), None) => f.write_str("the task panicked"),
        }
    }
}

impl std::error::Error for JoinError {}

/// Where a task leaves its result and who waits for it their waker.
pub(super) struct Slot<T>(Mutex<InSlot<T>>);

struct InSlot<T> {
    result: Option<Result<T, JoinError>>,
    finished: bool,
    waker: Option<Waker>,
}

impl<T> Slot<T> {
    pub(super) fn new() -> Arc<Slot<T>> {
        Arc::new(Slot(Mutex::new(InSlot { result: None, finished: false, waker: None })))
    }

    fn lock(&self) -> MutexGuard<'_, InSlot<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, result: Result<T, JoinError>) {
        self.lock().result = Some(result);
    }

    /// Whoever waits may take the result now.
    pub(super) fn finish(&self) -> Option<Waker> {
        let mut slot = self.lock();
        slot.finished = true;
        slot.waker.take()
    }

    fn is_finished(&self) -> bool {
        self.lock().finished
    }

    fn leave(&self, waker: &Waker) {
        let old = self.lock().waker.replace(waker.clone());
        drop(old);
    }
}

/// A future until it runs, and where its result goes.
struct AsyncTask<F: Future> {
    future: Cell<Option<F>>,
    slot: Arc<Slot<F::Output>>,
    local_set: Option<usize>,
    source: Source,
}

impl<F: Future> Run for AsyncTask<F> {
    fn run(&self) {
        let rt = rt::current().expect("tasks run inside a check");
        let mut future = pin!(self.future.take());
        let _ = rt.enter_async(self.local_set, false);
        rt.is_woken_at_start();
        let waker = rt.waker();
        let mut cx = Context::from_waker(&waker);
        let result = loop {
            rt.await_wake(self.source);
            if rt.is_cancelled() {
                break Err(JoinError::cancelled());
            }
            let polled = future.as_mut().as_pin_mut().map(|future| future.poll(&mut cx));
            if let Some(Poll::Ready(output)) = polled {
                break Ok(output);
            }
        };
        // Its destructors come before the result, as part of the execution.
        future.set(None);
        self.slot.set(result);
    }

    fn drops_result(&self, _owners: usize) -> bool {
        std::mem::needs_drop::<F::Output>() && Arc::strong_count(&self.slot) == 1
    }

    fn fail(&self, payload: Box<dyn Any + Send>) {
        self.slot.set(Err(JoinError::panicked(payload)));
    }

    fn ended(&self) {
        let rt = rt::current().expect("tasks run inside a check");
        rt.leave_local_set();
        rt.set_finished();
        let waker = self.slot.finish();
        rt.wake_within_step(waker);
    }
}

/// Makes an async task.
///
/// Inside a check it is a task of its own, on a thread of its own. Outside, a thread of the operating system runs it.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    match rt::current() {
        Some(rt) => spawn_task(rt, future, None, Location::caller()),
        None => {
            let slot = Slot::new();
            let remote = outside::spawn(future, Arc::clone(&slot));
            JoinHandle::outside(slot, remote)
        }
    }
}

pub(super) fn spawn_task<F: Future + 'static>(
    rt: Rt,
    future: F,
    local_set: Option<usize>,
    source: Source,
) -> JoinHandle<F::Output> {
    let slot = Slot::new();
    let entry = AsyncTask { future: Cell::new(Some(future)), slot: Arc::clone(&slot), local_set, source };
    // The table of seats takes an `Arc`; all of an execution happens on one thread.
    #[allow(clippy::arc_with_non_send_sync)]
    let task = rt.spawn(None, None, Arc::new(entry), source);
    rt.result_is_dropped::<F::Output>();
    let abort = AbortHandle(Target::Inside { task, stamp: rt.engine().stamp });
    JoinHandle { slot, abort, asked: false, given: false }
}

/// Where a task runs.
#[derive(Clone)]
enum Target {
    Inside { task: TaskId, stamp: Stamp },
    Outside(Arc<Remote>),
}

/// Cancels an async task.
#[derive(Clone)]
pub struct AbortHandle(Target);

impl AbortHandle {
    /// Cancels the task: when it would be polled next, its future is dropped instead. A task that has ended stays as it is.
    #[track_caller]
    pub fn abort(&self) {
        match &self.0 {
            Target::Inside { task, stamp } => {
                let source = Location::caller();
                enter(*stamp, source).abort(*task, source);
            }
            Target::Outside(remote) => remote.abort(),
        }
    }

    /// Whether the task has ended, in whichever way.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Target::Inside { task, stamp } => {
                let source = Location::caller();
                enter(*stamp, source).is_finished(*task, source)
            }
            Target::Outside(remote) => remote.is_finished(),
        }
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AbortHandle { .. }")
    }
}

/// The run time, if this is code of the execution with this stamp; anything else is a mistake.
fn enter(stamp: Stamp, source: Source) -> Rt {
    match rt::current() {
        Some(rt) if rt.engine().stamp == stamp => rt,
        Some(rt) => rt.misuse(misuse_elsewhere(stamp, ObjectKind::Task, source)),
        None => panic!("{}", misuse_elsewhere(stamp, ObjectKind::Task, source)),
    }
}

/// Waits for an async task and gives its result. Dropped, it lets the task go on by itself.
pub struct JoinHandle<T> {
    slot: Arc<Slot<T>>,
    abort: AbortHandle,
    /// It has left its waker.
    asked: bool,
    /// It has given its result.
    given: bool,
}

impl<T> Unpin for JoinHandle<T> {}
impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    pub(super) fn outside(slot: Arc<Slot<T>>, remote: Arc<Remote>) -> JoinHandle<T> {
        JoinHandle { slot, abort: AbortHandle(Target::Outside(remote)), asked: false, given: false }
    }

    /// Cancels the task; see [`AbortHandle::abort`].
    #[track_caller]
    pub fn abort(&self) {
        self.abort.abort();
    }

    /// A handle that can only cancel the task.
    pub fn abort_handle(&self) -> AbortHandle {
        self.abort.clone()
    }

    /// Whether the task has ended, in whichever way.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.abort.is_finished()
    }

    fn is_ready(&mut self, cx: &Context<'_>) -> bool {
        match self.abort.0 {
            Target::Inside { task, stamp } => {
                let rt = enter(stamp, Location::caller());
                let ready = rt.poll_join(task, rt.source_of(task));
                self.asked = true;
                if !ready {
                    self.slot.leave(cx.waker());
                }
                ready
            }
            Target::Outside(_) => {
                self.slot.leave(cx.waker());
                self.slot.is_finished()
            }
        }
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T, JoinError>> {
        if !self.is_ready(cx) {
            return Poll::Pending;
        }
        self.given = true;
        let result =
            self.slot.lock().result.take().expect("a JoinHandle was polled after it had given its result");
        if let (Err(error), Some(rt), Target::Inside { task, .. }) = (&result, rt::current(), &self.abort.0)
            && error.is_panic()
        {
            rt.pass_on_panic(*task);
        }
        Poll::Ready(result)
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if let (Target::Inside { task, stamp }, Some(rt)) = (&self.abort.0, rt::current())
            && rt.engine().stamp == *stamp
        {
            if self.asked {
                rt.awaits_task_no_more(*task);
            }
            if !self.given {
                rt.drop_handle::<T>(*task);
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinHandle { .. }")
    }
}
