//! Scopes in which tasks are not preempted, or in which alone they are.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use crate::rt;
use crate::rt::sealing::{Holder, Scope};

/// Until the guard that this returns is dropped, the task is not preempted: at a scheduling point it goes on as long as it can.
///
/// It is left all the same when it blocks, waits or ends, and when it yields again and again while others wait for their turn
/// (fairness). Schedules that would leave it elsewhere are not explored, so the verdict is `bounded` at best. Scopes nest, and hold
/// for whatever the task calls. The point before the first operation of the scope is sealed too. Other tasks, also those that the
/// task spawns, are not concerned.
///
/// Use it for parts of a program that were checked by themselves, so that a search has more for the others. Outside a check, and
/// while a given schedule is replayed, it does nothing. [`Builder::no_preempt`](crate::Builder::no_preempt) does the same for functions and
/// modules by their names.
///
/// ```
/// use caissa::sync::Arc;
/// use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
/// use caissa::thread;
///
/// caissa::check(|| {
///     let number = Arc::new(AtomicUsize::new(0));
///     let other = {
///         let number = Arc::clone(&number);
///         thread::spawn(move || {
///             let _sealed = caissa::no_preempt();
///             let seen = number.load(SeqCst);
///             number.store(seen + 1, SeqCst); // nobody comes between
///         })
///     };
///     number.fetch_add(1, SeqCst);
///     other.join().unwrap();
///     assert_eq!(number.load(SeqCst), 2);
/// });
/// ```
#[track_caller]
pub fn no_preempt() -> NoPreempt {
    NoPreempt(Guard::new(Scope::Sealed))
}

/// In a check that has such guards, tasks are preempted only in their scopes: a task that holds none goes on at a scheduling point
/// as long as it can, as in the scope of [`no_preempt`].
///
/// That holds from the beginning of each execution on, and for every task. So the first execution, in which no task is preempted,
/// must come to such a guard; if it does not, and a later one does, the check is refused. A task that also holds a
/// [`no_preempt`] guard is not preempted. Outside a check, and while a given schedule is replayed, it does nothing.
/// [`Builder::preempt_only`](crate::Builder::preempt_only) does the same for functions and modules by their names.
#[track_caller]
pub fn preempt_only() -> PreemptOnly {
    PreemptOnly(Guard::new(Scope::Open))
}

/// The scope of [`no_preempt`], which ends when this is dropped. It stays with its task:
///
/// ```compile_fail,E0277
/// let guard = caissa::no_preempt();
/// std::thread::spawn(move || drop(guard));
/// ```
#[must_use = "the scope ends when the guard is dropped"]
pub struct NoPreempt(#[expect(dead_code, reason = "it is dropped")] Guard);

/// The scope of [`preempt_only`], which ends when this is dropped.
#[must_use = "the scope ends when the guard is dropped"]
pub struct PreemptOnly(#[expect(dead_code, reason = "it is dropped")] Guard);

struct Guard {
    scope: Scope,
    /// `None` outside a check.
    holder: Option<Holder>,
    /// It belongs to the task that made it: not `Send`.
    _own: PhantomData<*const ()>,
}

impl Guard {
    #[track_caller]
    fn new(scope: Scope) -> Guard {
        let holder = rt::current().and_then(|rt| rt.enter_scope(scope, Location::caller()));
        Guard { scope, holder, _own: PhantomData }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let (Some(holder), Some(rt)) = (self.holder, rt::current()) {
            rt.leave_scope(self.scope, holder);
        }
    }
}

impl fmt::Debug for NoPreempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NoPreempt { .. }")
    }
}

impl fmt::Debug for PreemptOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PreemptOnly { .. }")
    }
}
