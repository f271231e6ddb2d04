//! [`Condvar`].

use std::fmt;
use std::panic::Location;
use std::sync::LockResult;

use caissa_core::class::Access;
use caissa_core::{Note, ObjectId, ObjectKind, Op, OpKind, Source, TaskId};

use super::MutexGuard;
use crate::rt::{self, Home, Rt};

/// A condition variable; see [`std::sync::Condvar`].
///
/// Which waiter `notify_one` wakes is a choice that is explored. Waiters do not wake by themselves.
pub struct Condvar {
    home: Home,
    outside: std::sync::Condvar,
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

impl Default for Condvar {
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl Condvar {
    /// A condition variable with no waiters.
    pub const fn new() -> Condvar {
        Condvar { home: Home::new(), outside: std::sync::Condvar::new() }
    }

    /// Releases the mutex, waits for a notification and takes the mutex again.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let source = Location::caller();
        let rt = rt::current();
        let condvar = rt.map(|rt| {
            let condvar = self.object(rt, source);
            // The guard still holds the mutex if the execution ends at this point.
            rt.point(Op::new(OpKind::Wait, ObjectId(condvar as u32)), source);
            (rt, condvar)
        });
        let (lock, locked_at, outside) = guard.into_parts();
        let home = MutexGuard::home(lock);
        let outside = match (condvar, outside) {
            (Some((rt, condvar)), _) => {
                let mutex = home.find(rt, ObjectKind::Mutex, locked_at, || false);
                home.set_held(false);
                rt.wait(condvar, mutex, source);
                home.set_held(true);
                None
            }
            (None, Some(held)) => {
                self.home.touch_outside(ObjectKind::Condvar, source);
                home.leave_outside();
                let held = self.outside.wait(held).unwrap_or_else(std::sync::PoisonError::into_inner);
                home.enter_outside(ObjectKind::Mutex, source);
                Some(held)
            }
            (None, None) => None,
        };
        MutexGuard::from_parts(lock, source, outside)
    }

    /// Waits as long as the condition holds.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(guard.for_condition()) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Wakes one waiter, if there is one.
    #[track_caller]
    pub fn notify_one(&self) {
        let source = Location::caller();
        match rt::current() {
            Some(rt) => {
                let condvar = self.object(rt, source);
                rt.notify(condvar, OpKind::NotifyOne, source);
            }
            None => {
                self.home.touch_outside(ObjectKind::Condvar, source);
                self.outside.notify_one();
            }
        }
    }

    /// Wakes every waiter.
    #[track_caller]
    pub fn notify_all(&self) {
        let source = Location::caller();
        match rt::current() {
            Some(rt) => {
                let condvar = self.object(rt, source);
                rt.notify(condvar, OpKind::NotifyAll, source);
            }
            None => {
                self.home.touch_outside(ObjectKind::Condvar, source);
                self.outside.notify_all();
            }
        }
    }

    fn object(&self, rt: Rt, source: Source) -> usize {
        self.home.find(rt, ObjectKind::Condvar, source, || false)
    }
}

impl Rt {
    /// Two steps, the point before the first one behind: release the mutex and begin to wait; then, once notified and with
    /// the mutex free, take it again.
    fn wait(self, condvar: usize, mutex: usize, source: Source) {
        let op = Op::new(OpKind::Wait, ObjectId(condvar as u32));
        self.note(|| Note::Releases(ObjectId(mutex as u32)));
        let engine = self.engine();
        let me = engine.running;
        engine.objects[condvar].queue.push(me);
        // Until it is notified the task waits at the condvar for this mutex.
        engine.tasks[me.index()].wants = mutex;
        self.release(mutex);
        self.touch(condvar, Access::Write);
        self.block(op, source);
        self.absorb_wake();
        self.hold(mutex);
    }

    fn notify(self, condvar: usize, kind: OpKind, source: Source) {
        self.point(Op::new(kind, ObjectId(condvar as u32)), source);
        self.touch(condvar, Access::Write);
        let step = self.engine().execution.steps().saturating_sub(1);
        let waiters = self.engine().objects[condvar].queue.len();
        let woken = match (kind, waiters) {
            (_, 0) => Vec::new(),
            (OpKind::NotifyOne, _) => {
                let chosen = if waiters == 1 { 0 } else { self.choose(waiters as u32, source) as usize };
                vec![self.engine().objects[condvar].queue.remove(chosen)]
            }
            _ => std::mem::take(&mut self.engine().objects[condvar].queue),
        };
        for &task in &woken {
            self.wake_waiter(task, condvar);
        }
        self.engine().execution.note_at(step, || Note::Woke(woken));
    }

    /// A waiter now waits for its mutex.
    fn wake_waiter(self, task: TaskId, condvar: usize) {
        self.woke(task, condvar);
        let engine = self.engine();
        let mutex = engine.tasks[task.index()].wants;
        engine.execution.replace_pending(task, Op::new(OpKind::Relock, ObjectId(mutex as u32)));
        engine.objects[mutex].waiting.insert(task);
        engine.refresh(mutex);
    }
}
