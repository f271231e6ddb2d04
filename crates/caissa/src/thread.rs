//! Drop-in replacements for [`std::thread`].
//!
//! Inside a check [`spawn`] creates a task; outside, a thread of the operating system.

mod local;
mod scope;

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::num::NonZero;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use caissa_core::{ObjectId, ObjectKind, Op, OpKind, TaskId};

pub use local::{AccessError, LocalKey};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use std::thread::{Result, panicking};

use crate::rt::object::{Stamp, misuse_elsewhere};
use crate::rt::seat::Run;
use crate::rt::{self, Rt, Source};

/// A task's closure until it runs, and its result from then on.
struct Packet<F, T> {
    closure: Cell<Option<F>>,
    result: Cell<Option<Result<T>>>,
}

/// What is left of a packet for whoever joins: the result.
trait TakeResult<T> {
    fn take(&self) -> Option<Result<T>>;
}

impl<F, T> Packet<F, T> {
    fn new(closure: F) -> Arc<Packet<F, T>> {
        Arc::new(Packet { closure: Cell::new(Some(closure)), result: Cell::new(None) })
    }
}

impl<F: FnOnce() -> T, T> Run for Packet<F, T> {
    fn run(&self) {
        if let Some(closure) = self.closure.take() {
            self.result.set(Some(Ok(closure())));
        }
        // Not by returning, which would go through frames that are older than the last switch.
        if let Some(rt) = rt::current() {
            rt.finish_task();
        }
    }

    fn is_its_own_handle(&self) -> bool {
        true
    }

    fn drops_result(&self, owners: usize) -> bool {
        std::mem::needs_drop::<T>() && owners == 1
    }

    fn fail(&self, payload: Payload) {
        self.result.set(Some(Err(payload)));
    }
}

impl<F, T> TakeResult<T> for Packet<F, T> {
    fn take(&self) -> Option<Result<T>> {
        self.result.take()
    }
}

/// A handle on a task of an execution; `'a` is how long its closure may borrow.
struct TaskHandle<'a, T> {
    task: TaskId,
    stamp: Stamp,
    packet: Arc<dyn TakeResult<T> + 'a>,
    /// The result is for who joins.
    joined: bool,
}

// SAFETY: a packet is touched by its task and by whoever joins it, both on the OS thread of their engine (`enter` checks
// that) and never at the same time. Elsewhere a handle can only be dropped, which drops what is left of the packet; the
// closure and its result are `Send`.
unsafe impl<T: Send> Send for TaskHandle<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for TaskHandle<'_, T> {}

impl<T> TaskHandle<'_, T> {
    fn enter(&self, source: Source) -> Rt {
        enter(self.stamp, source)
    }

    #[inline]
    fn join(mut self, source: Source) -> Result<T> {
        self.joined = true;
        let over = || -> Result<T> { Err(Box::new("the execution is over")) };
        let rt = self.enter(source);
        rt.join(self.task, source);
        let result = self.packet.take().unwrap_or_else(over);
        if result.is_err() {
            rt.pass_on_panic(self.task);
        }
        result
    }

    fn thread(&self, name: Option<Arc<str>>) -> Thread {
        Thread(AnyThread::Task { task: self.task, stamp: self.stamp, name })
    }
}

impl<T> Drop for TaskHandle<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !self.joined
            && let Some(rt) = rt::inside()
            && rt.engine().stamp == self.stamp
        {
            rt.drop_handle::<T>(self.task);
        }
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

/// Waits for a task or thread to end; see [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(AnyHandle<T>);

// SAFETY: whatever the handle is of, its task or thread was made with a `T: Send`.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for JoinHandle<T> {}

enum AnyHandle<T> {
    Task(TaskHandle<'static, T>, Thread),
    Std(std::thread::JoinHandle<T>, Thread),
}

impl<T> JoinHandle<T> {
    /// Waits for the end and returns the result, or what the task panicked with.
    #[inline]
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            AnyHandle::Task(handle, _) => handle.join(Location::caller()),
            AnyHandle::Std(handle, _) => handle.join(),
        }
    }

    /// The task or thread.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            AnyHandle::Task(_, thread) | AnyHandle::Std(_, thread) => thread,
        }
    }

    /// Whether it has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            AnyHandle::Task(handle, _) => {
                let source = Location::caller();
                handle.enter(source).is_finished(handle.task, source)
            }
            AnyHandle::Std(handle, _) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinHandle { .. }")
    }
}

/// Creates a task (a thread, outside a check) that runs `f`.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match rt::current() {
        Some(rt) => spawn_task(rt, None, f, Location::caller()),
        None => spawned(std::thread::spawn(boxed(f))),
    }
}

/// What std starts a thread with is compiled once for each type of result, not for each closure.
fn boxed<'a, T>(f: impl FnOnce() -> T + Send + 'a) -> Box<dyn FnOnce() -> T + Send + 'a> {
    Box::new(f)
}

fn spawned<T>(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
    let thread = Thread(AnyThread::Std(handle.thread().clone()));
    JoinHandle(AnyHandle::Std(handle, thread))
}

fn spawn_task<F, T>(rt: Rt, name: Option<Arc<str>>, f: F, source: Source) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let packet = Packet::new(f);
    let task = rt.spawn(name.clone(), None, packet.clone(), source);
    rt.result_is_dropped::<T>();
    let handle = TaskHandle { task, stamp: rt.engine().stamp, packet, joined: false };
    let thread = handle.thread(name);
    JoinHandle(AnyHandle::Task(handle, thread))
}

/// Creates tasks with a name; see [`std::thread::Builder`].
#[derive(Debug)]
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A builder with nothing set.
    #[allow(clippy::new_without_default, reason = "std's has none either")]
    pub fn new() -> Builder {
        Builder { name: None, stack_size: None }
    }

    /// Names the task; reports use the name.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Sets the size of the stack. Inside a check all tasks have the size that the check was given.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    fn into_std(self) -> std::thread::Builder {
        let mut builder = std::thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// Creates the task; inside a check that does not fail.
    ///
    /// # Errors
    /// Outside a check, as [`std::thread::Builder::spawn`].
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        match rt::current() {
            Some(rt) => Ok(spawn_task(rt, self.name.map(Arc::from), f, Location::caller())),
            None => self.into_std().spawn(boxed(f)).map(spawned),
        }
    }

    /// As [`Builder::spawn`], for a closure that borrows.
    ///
    /// # Safety
    /// What the closure and its result borrow must outlive the task. Inside a check the task can live until the end of the
    /// execution, also if it is never joined: what it borrows must live until a join of it has returned, and an execution
    /// that ends before that unwinds its tasks in an order that only scopes know about. Use [`scope`] there.
    ///
    /// # Errors
    /// Outside a check, as [`std::thread::Builder::spawn_unchecked`].
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        match rt::current() {
            Some(rt) => {
                let packet = Packet::new(f);
                let entry: Arc<dyn Run + '_> = packet.clone();
                // SAFETY: the caller promises that what the closure borrows outlives the task.
                let entry: Arc<dyn Run> = unsafe { std::mem::transmute(entry) };
                let result: Arc<dyn TakeResult<T> + '_> = packet;
                // SAFETY: as above, for the result.
                let result: Arc<dyn TakeResult<T>> = unsafe { std::mem::transmute(result) };
                let name: Option<Arc<str>> = self.name.map(Arc::from);
                let task = rt.spawn(name.clone(), None, entry, Location::caller());
                rt.result_is_dropped::<T>();
                let handle = TaskHandle { task, stamp: rt.engine().stamp, packet: result, joined: false };
                let thread = handle.thread(name);
                Ok(JoinHandle(AnyHandle::Task(handle, thread)))
            }
            // SAFETY: the caller promises what std asks for.
            None => unsafe { self.into_std().spawn_unchecked(boxed(f)) }.map(spawned),
        }
    }

    /// Creates a task that may borrow what outlives the scope; see [`Scope::spawn`].
    ///
    /// # Errors
    /// Outside a check, as [`std::thread::Builder::spawn_scoped`].
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.spawn_with(self, f, Location::caller())
    }
}

/// A task or thread; see [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread(AnyThread);

#[derive(Clone)]
enum AnyThread {
    Task { task: TaskId, stamp: Stamp, name: Option<Arc<str>> },
    Std(std::thread::Thread),
}

/// Identifies a task or thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(AnyId);

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AnyId::Task(task) => write!(f, "ThreadId({})", task.0),
            AnyId::Std(id) => id.fmt(f),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum AnyId {
    Task(TaskId),
    Std(std::thread::ThreadId),
}

impl Thread {
    /// Makes the token of this task available: its next or present [`park`] returns.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            AnyThread::Task { task, stamp, .. } => {
                let source = Location::caller();
                enter(*stamp, source).unpark(*task, source);
            }
            AnyThread::Std(thread) => thread.unpark(),
        }
    }

    /// Its number.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            AnyThread::Task { task, .. } => AnyId::Task(*task),
            AnyThread::Std(thread) => AnyId::Std(thread.id()),
        })
    }

    /// Its name, if it has one. The task that runs the closure of a check is called `main`.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            AnyThread::Task { task: TaskId::MAIN, .. } => Some("main"),
            AnyThread::Task { name, .. } => name.as_deref(),
            AnyThread::Std(thread) => thread.name(),
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The running task or thread.
pub fn current() -> Thread {
    match rt::current() {
        Some(rt) => {
            let engine = rt.engine();
            let task = engine.running;
            let name = engine.tasks[task.index()].name.clone();
            Thread(AnyThread::Task { task, stamp: engine.stamp, name })
        }
        None => Thread(AnyThread::Std(std::thread::current())),
    }
}

/// Waits until this task's token is available and takes it. Inside a check it returns without one by a fault.
#[track_caller]
pub fn park() {
    match rt::current() {
        Some(rt) => rt.park(None, Location::caller()),
        None => std::thread::park(),
    }
}

/// As [`park`], for at most this time.
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    match rt::current() {
        Some(rt) => rt.park(Some(timeout), Location::caller()),
        None => std::thread::park_timeout(timeout),
    }
}

/// As [`park`], for at most so many milliseconds.
#[deprecated(note = "replaced by `park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(ms as u64));
}

/// Waits until this time has passed. Inside a check two scheduling points, after the second of which virtual time has
/// passed; other tasks may go on before, between and after.
#[track_caller]
pub fn sleep(time: Duration) {
    match rt::current() {
        Some(rt) => {
            let source = Location::caller();
            let op = |kind| Op::new(kind, ObjectId(rt.current().0));
            rt.point(op(OpKind::Sleep), source);
            let deadline = rt.deadline(time);
            rt.yields();
            if !time.is_zero() {
                rt.point(op(OpKind::WakeUp), source);
                rt.advance(deadline);
            }
        }
        None => std::thread::sleep(time),
    }
}

/// As [`sleep`], in milliseconds.
#[deprecated(note = "replaced by `sleep`")]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(ms as u64));
}

/// How many tasks can run at a time. Inside a check it is [`PARALLELISM`], whatever the machine, so that a program does the
/// same everywhere.
///
/// # Errors
/// Outside a check, as [`std::thread::available_parallelism`].
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    match rt::current() {
        Some(_) => Ok(PARALLELISM),
        None => std::thread::available_parallelism(),
    }
}

/// What [`available_parallelism`] is inside a check: small, since every further task multiplies the schedules.
pub const PARALLELISM: NonZero<usize> = NonZero::new(2).unwrap();

/// Says that this task can do nothing useful now. A scheduling point.
#[track_caller]
pub fn yield_now() {
    match rt::current() {
        Some(rt) => {
            rt.point(Op::new(OpKind::Yield, ObjectId(rt.current().0)), Location::caller());
            rt.touch_nothing();
            rt.yields();
        }
        None => std::thread::yield_now(),
    }
}

/// The type of a panic's payload, as [`JoinHandle::join`] returns it.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Marks handles that must not be sent while they borrow.
pub(crate) type Invariant<'a> = PhantomData<&'a mut &'a ()>;
