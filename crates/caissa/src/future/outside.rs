//! Async tasks outside a check: a thread for each, parked between polls.
//!
//! Small and honest rather than fast: it is there so that code which uses this module also runs where nothing is explored.

use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use super::task::{JoinError, Slot};

/// A future that a thread polls, as others see it.
pub(super) struct Remote {
    thread: Thread,
    woken: AtomicBool,
    aborted: AtomicBool,
    finished: AtomicBool,
}

impl Remote {
    /// A future of the present thread.
    fn here() -> Arc<Remote> {
        Arc::new(Remote {
            thread: std::thread::current(),
            woken: AtomicBool::new(true),
            aborted: AtomicBool::new(false),
            finished: AtomicBool::new(false),
        })
    }

    pub(super) fn abort(&self) {
        self.aborted.store(true, Ordering::SeqCst);
        self.woken.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::SeqCst)
    }

    fn take_woken(&self) -> bool {
        self.woken.swap(false, Ordering::SeqCst)
    }
}

impl Wake for Remote {
    fn wake(self: Arc<Remote>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Remote>) {
        self.woken.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// A future with where its result goes: polled until it is over, one way or another.
struct Task<F: Future> {
    future: Pin<Box<F>>,
    slot: Arc<Slot<F::Output>>,
    remote: Arc<Remote>,
}

/// A task whose future has some type. True: it is over.
trait AnyTask {
    fn poll(&mut self) -> bool;
    fn cancel(&mut self);
}

impl<F: Future> Task<F> {
    fn finish(&mut self, result: Result<F::Output, JoinError>) {
        self.slot.set(result);
        self.remote.finished.store(true, Ordering::SeqCst);
        if let Some(waker) = self.slot.finish() {
            waker.wake();
        }
    }
}

impl<F: Future> AnyTask for Task<F> {
    fn poll(&mut self) -> bool {
        if !self.remote.take_woken() {
            return false;
        }
        if self.remote.aborted.load(Ordering::SeqCst) {
            return true;
        }
        let waker = Waker::from(Arc::clone(&self.remote));
        let polled =
            catch_unwind(AssertUnwindSafe(|| self.future.as_mut().poll(&mut Context::from_waker(&waker))));
        match polled {
            Ok(Poll::Pending) => return false,
            Ok(Poll::Ready(output)) => self.finish(Ok(output)),
            Err(payload) => self.finish(Err(JoinError::panicked(payload))),
        }
        true
    }

    fn cancel(&mut self) {
        if !self.remote.is_finished() {
            self.finish(Err(JoinError::cancelled()));
        }
    }
}

/// A task that is over: its future is dropped, and only then a cancelled one is over for others.
fn put_away<F: Future>(task: Task<F>) {
    let Task { future, slot, remote } = task;
    drop(future);
    let mut rest = Task { future: Box::pin(std::future::pending::<F::Output>()), slot, remote };
    rest.cancel();
}

pub(super) fn spawn<F>(future: F, slot: Arc<Slot<F::Output>>) -> Arc<Remote>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let (send, receive) = std::sync::mpsc::channel();
    let run: Box<dyn FnOnce() + Send> = Box::new(move || {
        let remote = Remote::here();
        let mut task = Task { future: Box::pin(future), slot, remote: Arc::clone(&remote) };
        let _ = send.send(remote);
        while !task.poll() {
            std::thread::park();
        }
        put_away(task);
    });
    std::thread::spawn(run);
    receive.recv().expect("the thread tells where it is")
}

thread_local! {
    /// The local tasks of each `block_on` call of this thread, the innermost last.
    static LOCAL: RefCell<Vec<Vec<Box<dyn Local>>>> = const { RefCell::new(Vec::new()) };
}

trait Local: AnyTask {
    fn put_away(self: Box<Self>);
}

impl<F: Future> Local for Task<F> {
    fn put_away(self: Box<Self>) {
        put_away(*self);
    }
}

/// `None` if this thread is in no `block_on` call.
pub(super) fn spawn_local<F>(future: F, slot: Arc<Slot<F::Output>>) -> Option<Arc<Remote>>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let remote = Remote::here();
    let task = Task { future: Box::pin(future), slot, remote: Arc::clone(&remote) };
    LOCAL.with_borrow_mut(|frames| frames.last_mut().map(|tasks| tasks.push(Box::new(task))))?;
    Some(remote)
}

/// A `block_on` call; what is left of its local tasks is cancelled at its end.
struct Frame(Vec<Box<dyn Local>>);

impl Frame {
    fn enter() -> Frame {
        LOCAL.with_borrow_mut(|frames| frames.push(Vec::new()));
        Frame(Vec::new())
    }

    /// Polls the local tasks that were woken, also new ones.
    fn poll(&mut self) {
        let mut index = 0;
        loop {
            self.0.extend(
                LOCAL.with_borrow_mut(|frames| frames.last_mut().map(std::mem::take)).into_iter().flatten(),
            );
            let Some(task) = self.0.get_mut(index) else { return };
            if task.poll() {
                self.0.remove(index).put_away();
            } else {
                index += 1;
            }
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        let new = LOCAL.with_borrow_mut(Vec::pop).into_iter().flatten();
        for task in std::mem::take(&mut self.0).into_iter().chain(new) {
            task.put_away();
        }
    }
}

pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    let mut frame = Frame::enter();
    let remote = Remote::here();
    let waker = Waker::from(Arc::clone(&remote));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if remote.take_woken()
            && let Poll::Ready(output) = future.as_mut().poll(&mut cx)
        {
            return output;
        }
        frame.poll();
        if !remote.woken.load(Ordering::SeqCst) {
            std::thread::park();
        }
    }
}
