//! [`Condvar`].

use std::fmt;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

use caissa_core::class::Access;
use caissa_core::{Note, ObjectId, ObjectKind, Op, OpKind, TaskId};

use super::MutexGuard;
use crate::rt::clock::{Ended, Wait};
use crate::rt::{self, Home, Rt, Source};

/// A condition variable; see [`std::sync::Condvar`].
///
/// Which waiter `notify_one` wakes is a choice that is explored. That a waiter wakes for no reason, or that a timeout fires
/// although something else could happen first, is a fault, explored within the budget of faults ([`crate::Builder::faults`]).
pub struct Condvar {
    home: Home,
    outside: std::sync::Condvar,
}

/// Whether a timed wait ended because its time had passed; see [`std::sync::WaitTimeoutResult`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time had passed.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// What a wait with a timeout gives.
type TimedWait<'a, T> = LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>;

/// How long a task waits.
#[derive(Clone, Copy)]
enum Time {
    Forever,
    For(Duration),
    /// Until the virtual clock shows this.
    Until(u64),
}

impl Time {
    fn kind(self) -> OpKind {
        match self {
            Time::Forever => OpKind::Wait,
            Time::For(_) | Time::Until(_) => OpKind::WaitUntil,
        }
    }
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
        let outside = |held| {
            (
                self.outside.wait(held).unwrap_or_else(std::sync::PoisonError::into_inner),
                WaitTimeoutResult(false),
            )
        };
        match self.wait_for(guard, Time::Forever, outside, Location::caller()) {
            Ok((guard, _)) => Ok(guard),
            Err(poisoned) => Err(PoisonError::new(poisoned.into_inner().0)),
        }
    }

    /// As [`Condvar::wait`], for at most this time.
    #[track_caller]
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, timeout: Duration) -> TimedWait<'a, T> {
        let outside = |held| {
            let waited = self.outside.wait_timeout(held, timeout);
            let (held, result) = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
            (held, WaitTimeoutResult(result.timed_out()))
        };
        self.wait_for(guard, Time::For(timeout), outside, Location::caller())
    }

    /// As [`Condvar::wait_timeout`]; false if the time has passed.
    #[deprecated(note = "replaced by `wait_timeout`")]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(ms as u64)) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(poisoned) => {
                let (guard, result) = poisoned.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// Waits as long as the condition holds, for at most this time.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: F,
    ) -> TimedWait<'a, T>
    where
        F: FnMut(&mut T) -> bool,
    {
        let source = Location::caller();
        let Some(rt) = rt::current() else {
            let started = std::time::Instant::now();
            loop {
                if !condition(guard.for_condition()) {
                    return Ok((guard, WaitTimeoutResult(false)));
                }
                let Some(left) = timeout.checked_sub(started.elapsed()) else {
                    return Ok((guard, WaitTimeoutResult(true)));
                };
                guard = self.wait_timeout(guard, left)?.0;
            }
        };
        let mut time = Time::For(timeout);
        loop {
            if !condition(guard.for_condition()) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            guard = match self.wait_for(guard, time, |_| unreachable!("inside a check"), source)? {
                (guard, WaitTimeoutResult(false)) => guard,
                (mut guard, timed_out) => {
                    let holds = condition(guard.for_condition());
                    return Ok((guard, if holds { timed_out } else { WaitTimeoutResult(false) }));
                }
            };
            // The time began with the first wait.
            if let Time::For(_) = time {
                time = Time::Until(rt.engine().tasks[rt.current().index()].waited_until);
            }
        }
    }

    fn wait_for<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Time,
        outside: impl FnOnce(std::sync::MutexGuard<'a, ()>) -> (std::sync::MutexGuard<'a, ()>, WaitTimeoutResult),
        source: Source,
    ) -> TimedWait<'a, T> {
        let condvar = rt::current().map(|rt| {
            let condvar = self.object(rt, source);
            // The guard still holds the mutex if the execution ends at this point.
            rt.point(Op::new(time.kind(), ObjectId(condvar as u32)), source);
            (rt, condvar)
        });
        let (lock, locked_at, held) = guard.into_parts();
        let home = MutexGuard::home(lock);
        let (held, result) = match (condvar, held) {
            (Some((rt, condvar)), _) => {
                let mutex = home.find(rt, ObjectKind::Mutex, locked_at, || false);
                home.set_held(false);
                let timed_out = rt.wait(condvar, mutex, time, source);
                home.set_held(true);
                (None, WaitTimeoutResult(timed_out))
            }
            (None, Some(held)) => {
                self.home.touch_outside(ObjectKind::Condvar, source);
                home.leave_outside();
                let (held, result) = outside(held);
                home.enter_outside(ObjectKind::Mutex, source);
                (Some(held), result)
            }
            (None, None) => (None, WaitTimeoutResult(false)),
        };
        match MutexGuard::from_parts(lock, source, held) {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
        }
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
    ///
    /// If its time has passed, or it wakes for no reason, it first has a step of its own in which it stops to wait: until
    /// then a notification can go to it, afterwards not. True if its time has passed.
    fn wait(self, condvar: usize, mutex: usize, time: Time, source: Source) -> bool {
        let op = |kind| Op::new(kind, ObjectId(condvar as u32));
        self.note(|| Note::Releases(ObjectId(mutex as u32)));
        let engine = self.engine();
        let me = engine.running;
        engine.objects[condvar].queue.push(me);
        // Until it is notified the task waits at the condvar for this mutex.
        engine.tasks[me.index()].wants = mutex;
        self.release(mutex);
        self.touch_class(condvar, Access::Write);
        let deadline = match time {
            Time::Forever => None,
            Time::For(timeout) => Some(self.deadline(timeout)),
            Time::Until(deadline) => Some(deadline),
        };
        self.engine().tasks[me.index()].waited_until = deadline.unwrap_or_default();
        let wait = Wait {
            op: op(time.kind()),
            deadline,
            expires: op(OpKind::WaitExpires),
            wakes: Some(op(OpKind::WaitWakes)),
        };
        let ended = self.wait_until(wait, source);
        if ended == Ended::Enabled {
            self.absorb_wake();
        } else {
            self.engine().objects[condvar].queue.retain(|&waiter| waiter != me);
            self.touch_class(condvar, Access::Write);
            if let (Ended::TimedOut, Some(deadline)) = (ended, deadline) {
                self.advance(deadline);
            }
            self.point_on(Op::new(OpKind::Relock, ObjectId(mutex as u32)), source);
        }
        self.hold(mutex);
        ended == Ended::TimedOut
    }

    fn notify(self, condvar: usize, kind: OpKind, source: Source) {
        self.point(Op::new(kind, ObjectId(condvar as u32)), source);
        self.touch_class(condvar, Access::Write);
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
        engine.execution.drop_timer(task);
        let mutex = engine.tasks[task.index()].wants;
        engine.execution.replace_pending(task, Op::new(OpKind::Relock, ObjectId(mutex as u32)));
        engine.objects[mutex].waiting.insert(task);
        engine.refresh(mutex);
    }
}
