//! Scoped tasks.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::Arc;

use caissa_core::class::Access;
use caissa_core::{ObjectId, ObjectKind, Op, OpKind, TaskId};

use super::{Builder, Invariant, Packet, Payload, Result, TaskHandle, Thread};
use crate::rt::seat::Run;
use crate::rt::{self, AbortToken, Home, Rt, Source};

/// A place to spawn tasks that may borrow what outlives it; see [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    kind: Kind<'scope, 'env>,
    env: PhantomData<&'env mut &'env ()>,
    scope: Invariant<'scope>,
}

enum Kind<'scope, 'env: 'scope> {
    /// Inside a check: an object that counts tasks, whether one of them panicked without being joined, and the task that
    /// waits for them.
    Inside { home: Home, panicked: Arc<Unjoined>, owner: TaskId, source: Source },
    /// Outside: std's scope, set before anyone sees this one.
    Outside(Cell<Option<&'scope std::thread::Scope<'scope, 'env>>>),
}

// SAFETY: outside a check the cell is set once, before the scope is shared, and only read afterwards; inside, all tasks
// run on one OS thread.
unsafe impl Sync for Scope<'_, '_> {}

impl std::panic::RefUnwindSafe for Scope<'_, '_> {}

/// Panics of scoped tasks that nobody has joined.
#[derive(Default)]
struct Unjoined(std::sync::atomic::AtomicUsize);

/// A scoped task: its panic counts until it is joined.
struct Scoped<F, T> {
    packet: Arc<Packet<F, T>>,
    unjoined: Arc<Unjoined>,
}

impl<F: FnOnce() -> T, T> Run for Scoped<F, T> {
    fn run(&self) {
        self.packet.run();
    }

    fn drops_result(&self, _owners: usize) -> bool {
        std::mem::needs_drop::<T>() && Arc::strong_count(&self.packet) == 1
    }

    fn fail(&self, payload: Payload) {
        self.unjoined.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.packet.fail(payload);
    }
}

/// Runs `f` with a scope and returns when all tasks spawned in it have ended.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    match rt::current() {
        Some(rt) => scope_inside(rt, f, Location::caller()),
        None => scope_outside(f),
    }
}

fn scope_outside<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let shell = Scope { kind: Kind::Outside(Cell::new(None)), env: PhantomData, scope: PhantomData };
    std::thread::scope(|std_scope| {
        // SAFETY: `shell` lives until std's scope has ended, which is as long as 'scope lasts; only the lifetime changes.
        let shell: &Scope<'_, 'env> = unsafe { &*(&raw const shell).cast() };
        if let Kind::Outside(cell) = &shell.kind {
            cell.set(Some(std_scope));
        }
        f(shell)
    })
}

fn scope_inside<'env, F, T>(rt: Rt, f: F, source: Source) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let panicked = Arc::new(Unjoined::default());
    let kind =
        Kind::Inside { home: Home::new(), panicked: Arc::clone(&panicked), owner: rt.current(), source };
    let shell = Scope { kind, env: PhantomData, scope: PhantomData };
    // Declared after the scope, so dropped before it.
    let _left = WaitsForTasks(rt);
    let result = match catch_unwind(AssertUnwindSafe(|| f(&shell))) {
        Err(payload) if payload.is::<AbortToken>() => resume_unwind(payload),
        result => result,
    };
    let Kind::Inside { home, .. } = &shell.kind else { unreachable!("made so above") };
    let object = home.find(rt, ObjectKind::Scope, source, || false);
    if let Err(payload) = &result {
        rt.scope_panicked(payload.as_ref());
    }
    rt.point_on(Op::new(OpKind::ScopeEnd, ObjectId(object as u32)), source);
    rt.touch(object, Access::Write);
    match result {
        Err(payload) => {
            rt.scope_goes_on_unwinding();
            resume_unwind(payload)
        }
        Ok(_) if panicked.0.load(std::sync::atomic::Ordering::Relaxed) > 0 => {
            rt.pass_on_panics_of_scope(object);
            panic!("a scoped thread panicked")
        }
        Ok(value) => value,
    }
}

/// When an execution is aborted, a scope is not left before its tasks have been unwound.
struct WaitsForTasks(Rt);

impl Drop for WaitsForTasks {
    fn drop(&mut self) {
        self.0.wait_for_scoped_tasks();
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Creates a task that may borrow from outside the scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.spawn_with(Builder::new(), f, Location::caller()).expect("failed to spawn thread")
    }

    pub(super) fn spawn_with<F, T>(
        &'scope self,
        builder: Builder,
        f: F,
        source: Source,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match &self.kind {
            Kind::Outside(cell) => {
                let scope = cell.get().expect("set before anyone sees the scope");
                let handle = builder.into_std().spawn_scoped(scope, super::boxed(f))?;
                let thread = Thread(super::AnyThread::Std(handle.thread().clone()));
                Ok(ScopedJoinHandle(AnyHandle::Std(handle, thread)))
            }
            Kind::Inside { home, panicked, owner, source: scope_source } => {
                let rt = rt::current().expect("a scope inside a check is used by its tasks");
                let object = home.find(rt, ObjectKind::Scope, scope_source, || false);
                let packet = Packet::new(f);
                let entry: Arc<dyn Run + 'scope> =
                    Arc::new(Scoped { packet: packet.clone(), unjoined: Arc::clone(panicked) });
                // SAFETY: the scope does not end before this task has, also when the execution is aborted: the engine
                // leaves no scope before its tasks have been unwound or
                // abandoned. What the closure borrows therefore outlives its run.
                let entry: Arc<dyn Run> = unsafe { std::mem::transmute(entry) };
                let name: Option<Arc<str>> = builder.name.map(Arc::from);
                let task = rt.spawn(name.clone(), Some((object, *owner)), entry, source);
                rt.result_is_dropped::<T>();
                let handle = TaskHandle { task, stamp: rt.engine().stamp, packet, joined: false };
                let thread = handle.thread(name);
                Ok(ScopedJoinHandle(AnyHandle::Task(handle, thread, Arc::clone(panicked))))
            }
        }
    }
}

/// Waits for a scoped task; see [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T>(AnyHandle<'scope, T>);

enum AnyHandle<'scope, T> {
    Task(TaskHandle<'scope, T>, Thread, Arc<Unjoined>),
    Std(std::thread::ScopedJoinHandle<'scope, T>, Thread),
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end and returns the result, or what the task panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            AnyHandle::Task(handle, _, unjoined) => {
                let result: std::result::Result<T, Payload> = handle.join(Location::caller());
                if result.is_err() {
                    unjoined.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
                }
                result
            }
            AnyHandle::Std(handle, _) => handle.join(),
        }
    }

    /// The task or thread.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            AnyHandle::Task(_, thread, ..) | AnyHandle::Std(_, thread) => thread,
        }
    }

    /// Whether it has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            AnyHandle::Task(handle, ..) => {
                let source = Location::caller();
                handle.enter(source).is_finished(handle.task, source)
            }
            AnyHandle::Std(handle, _) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScopedJoinHandle { .. }")
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope { .. }")
    }
}
