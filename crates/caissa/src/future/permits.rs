//! Permits and the queue for them: what locks, semaphores and channels with a capacity wait for.
//!
//! As tokio's semaphore: permits that come free go to the waiters in the order in which they came, also piece by piece to one
//! that needs many, and nobody who comes later gets past it. A waiter that is dropped gives on what it had.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use caissa_core::OpKind;

use super::queue::{Grant, Left, Queue, Ticket};
use super::shared::{Shared, State, Step};
use crate::rt::Source;

#[derive(Debug)]
pub(super) struct Permits {
    pub(super) available: usize,
    made_with: usize,
    pub(super) closed: bool,
    queue: Queue,
    /// Whoever gets a permit is the holder, for reports.
    holders: bool,
}

impl Permits {
    pub(super) const fn new(count: usize, holders: bool) -> Permits {
        Permits { available: count, made_with: count, closed: false, queue: Queue::new(), holders }
    }

    /// Permits are given back, or added: to who waits, then to all.
    pub(super) fn release(&mut self, mut count: usize, step: &mut Step) {
        while let Some(first) = self.queue.first() {
            let part = first.needs.min(count);
            first.needs -= part;
            count -= part;
            if first.needs > 0 {
                break;
            }
            if self.holders {
                step.hold(first.task);
            }
            self.queue.grant_first(Grant::Given, step);
        }
        self.available += count;
    }

    /// Takes permits if they are there now.
    pub(super) fn try_acquire(&mut self, count: usize, step: &Step) -> bool {
        let free = self.available >= count;
        if free {
            self.available -= count;
            if self.holders {
                step.hold(step.task());
            }
        }
        free
    }

    /// Comes to wait for permits, with those that there are.
    pub(super) fn come(&mut self, count: usize, waker: &Waker, step: &Step) -> Ticket {
        let missing = count - std::mem::take(&mut self.available);
        self.queue.push(missing, waker, step)
    }

    /// What has become of a wait; nothing yet if there is none, and the waker is another now.
    pub(super) fn look(&mut self, ticket: Ticket, waker: &Waker, step: &mut Step) -> Option<Grant> {
        let grant = self.queue.take(ticket, step);
        if grant.is_none() {
            step.reads();
            self.queue.renew(ticket, waker, step);
        }
        grant
    }

    /// Somebody does not wait any more for `count` permits; what it has got is given on.
    pub(super) fn cancel(&mut self, ticket: Ticket, count: usize, step: &mut Step) {
        match self.queue.remove(ticket, step) {
            Left::Waiting { needs } => self.release(count - needs, step),
            Left::Granted(Grant::Given) => {
                if self.holders {
                    step.release();
                }
                self.release(count, step);
            }
            Left::Granted(_) | Left::Nothing => {}
        }
    }

    /// Nobody gets a permit any more.
    pub(super) fn close(&mut self, step: &mut Step) {
        self.closed = true;
        self.queue.grant_all(Grant::Closed, step);
    }
}

impl State for Permits {
    fn is_as_made(&mut self) -> bool {
        self.queue.forget();
        self.available == self.made_with && !self.closed
    }
}

/// A state with permits in it.
pub(super) trait HasPermits: State {
    fn permits(&mut self) -> &mut Permits;

    /// Somebody has given up waiting, and what it had was given on.
    fn gave_up(&mut self, _step: &mut Step) {}
}

impl HasPermits for Permits {
    fn permits(&mut self) -> &mut Permits {
        self
    }
}

/// Waits for permits. Ends with `false` if there will be none.
pub(super) struct Acquire<'a, S: HasPermits> {
    shared: &'a Shared<S>,
    count: usize,
    op: OpKind,
    cancel: OpKind,
    source: Source,
    ticket: Option<Ticket>,
}

impl<'a, S: HasPermits> Acquire<'a, S> {
    /// `op`: the operation of acquiring; `cancel`: that of not waiting any more.
    pub(super) fn new(
        shared: &'a Shared<S>,
        count: usize,
        op: OpKind,
        cancel: OpKind,
        source: Source,
    ) -> Acquire<'a, S> {
        Acquire { shared, count, op, cancel, source, ticket: None }
    }

    fn begin(&mut self, cx: &Context<'_>) -> Poll<bool> {
        let (count, ticket) = (self.count, &mut self.ticket);
        self.shared.step(self.op, self.source, |state, step| {
            let permits = state.permits();
            if permits.closed {
                step.reads();
                step.tried(false);
                return Poll::Ready(false);
            }
            step.writes();
            let free = permits.try_acquire(count, step);
            step.tried(free);
            if free {
                return Poll::Ready(true);
            }
            *ticket = Some(permits.come(count, cx.waker(), step));
            Poll::Pending
        })
    }

    fn look(&mut self, ticket: Ticket, cx: &Context<'_>) -> Poll<bool> {
        let grant = self.shared.step(self.op, self.source, |state, step| {
            let grant = state.permits().look(ticket, cx.waker(), step);
            step.tried(grant == Some(Grant::Given));
            grant
        });
        let Some(grant) = grant else { return Poll::Pending };
        self.ticket = None;
        Poll::Ready(grant != Grant::Closed)
    }
}

impl<S: HasPermits> Future for Acquire<'_, S> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<bool> {
        let this = self.get_mut();
        match this.ticket {
            None => this.begin(cx),
            Some(ticket) => this.look(ticket, cx),
        }
    }
}

impl<S: HasPermits> Drop for Acquire<'_, S> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.shared.step_in_drop(self.cancel, self.source, |state, step| {
                step.writes();
                state.permits().cancel(ticket, self.count, step);
                state.gave_up(step);
            });
        }
    }
}
