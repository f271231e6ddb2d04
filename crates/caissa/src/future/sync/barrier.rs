//! [`Barrier`].

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use caissa_core::{ObjectKind, OpKind};

use crate::future::queue::{Grant, Queue, Ticket};
use crate::future::shared::{Shared, State};
use crate::rt::Source;

/// Lets tasks go on together; see tokio's `Barrier`.
#[derive(Debug)]
pub struct Barrier {
    shared: Shared<Arrivals>,
}

#[derive(Debug)]
struct Arrivals {
    count: usize,
    arrived: usize,
    queue: Queue,
}

impl State for Arrivals {
    fn is_as_made(&mut self) -> bool {
        self.queue.forget();
        self.arrived == 0
    }
}

/// Tells one of those who have waited from the others.
#[derive(Clone, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for one of them.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for so many tasks; 0 is as 1.
    pub const fn new(count: usize) -> Barrier {
        let count = if count == 0 { 1 } else { count };
        let arrivals = Arrivals { count, arrived: 0, queue: Queue::new() };
        Barrier { shared: Shared::new(ObjectKind::AsyncBarrier, arrivals) }
    }

    /// Waits until all have arrived. Dropped before it ends, it still counts as arrived.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        Wait { barrier: self, ticket: None, source: Location::caller() }
    }
}

struct Wait<'a> {
    barrier: &'a Barrier,
    ticket: Option<Ticket>,
    source: Source,
}

impl Future for Wait<'_> {
    type Output = BarrierWaitResult;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<BarrierWaitResult> {
        let this = self.get_mut();
        let shared = &this.barrier.shared;
        let Some(ticket) = this.ticket else {
            let ticket = &mut this.ticket;
            return shared.step(OpKind::AsyncArrive, this.source, |arrivals, step| {
                step.writes();
                arrivals.arrived += 1;
                let last = arrivals.arrived == arrivals.count;
                step.tried(last);
                if last {
                    arrivals.arrived = 0;
                    arrivals.queue.grant_all(Grant::Given, step);
                    return Poll::Ready(BarrierWaitResult(true));
                }
                *ticket = Some(arrivals.queue.push(0, cx.waker(), step));
                Poll::Pending
            });
        };
        let gone_on = shared.step(OpKind::AsyncArrive, this.source, |arrivals, step| {
            let gone_on = arrivals.queue.take(ticket, step).is_some();
            step.tried(gone_on);
            if !gone_on {
                step.reads();
                arrivals.queue.renew(ticket, cx.waker(), step);
            }
            gone_on
        });
        if !gone_on {
            return Poll::Pending;
        }
        this.ticket = None;
        Poll::Ready(BarrierWaitResult(false))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.barrier.shared.glued_in_drop(|arrivals, step| {
                arrivals.queue.remove(ticket, step);
            });
        }
    }
}
