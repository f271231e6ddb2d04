//! The one queue that all async types wait in.
//!
//! A future that cannot go on leaves a waiter with its waker. Waiters are served in the order in which they came. One that is
//! *granted* what it waits for leaves the queue and has it, whether or not its future is polled again; a future that is dropped
//! with a grant gives it on.

use std::collections::VecDeque;
use std::task::Waker;

use caissa_core::class::Mark;
use caissa_core::{Tag, TaskId};

use super::shared::Step;

/// Names a waiter of a queue.
pub(super) type Ticket = u64;

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Waiter>,
    /// Those that were granted something and do not know yet.
    granted: Vec<Granted>,
    next: Ticket,
}

#[derive(Debug)]
pub(super) struct Waiter {
    ticket: Ticket,
    /// What it still needs.
    pub(super) needs: usize,
    pub(super) task: Option<TaskId>,
    waker: Waker,
}

#[derive(Debug)]
struct Granted {
    ticket: Ticket,
    grant: Grant,
    /// The step that granted it.
    by: (Mark, Tag),
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// With what was wanted.
    Given,
    /// With the news that it will not come.
    Closed,
    /// With a notification to all, which is not given on.
    All,
}

/// What a waiter that is dropped leaves behind.
pub(super) enum Left {
    /// It was still waiting, and needed this much more.
    Waiting {
        needs: usize,
    },
    Granted(Grant),
    Nothing,
}

impl Queue {
    pub(super) const fn new() -> Queue {
        Queue { waiting: VecDeque::new(), granted: Vec::new(), next: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Forgets waiters of an execution that is over.
    pub(super) fn forget(&mut self) {
        // Their wakers go nowhere any more.
        self.waiting.clear();
        self.granted.clear();
    }

    /// A waiter comes.
    pub(super) fn push(&mut self, needs: usize, waker: &Waker, step: &Step) -> Ticket {
        let ticket = self.next;
        self.next += 1;
        self.waiting.push_back(Waiter { ticket, needs, task: step.task(), waker: waker.clone() });
        step.awaits(ticket);
        ticket
    }

    /// A waiter was polled again; it may have another waker now.
    pub(super) fn renew(&mut self, ticket: Ticket, waker: &Waker, step: &mut Step) {
        if let Some(waiter) = self.waiting.iter_mut().find(|waiter| waiter.ticket == ticket) {
            if !waiter.waker.will_wake(waker) {
                step.drop_later(std::mem::replace(&mut waiter.waker, waker.clone()));
            }
            waiter.task = step.task();
            step.awaits(ticket);
        }
    }

    /// A waiter, coming or polled again.
    pub(super) fn push_or_renew(&mut self, place: &mut Option<Ticket>, waker: &Waker, step: &mut Step) {
        match *place {
            Some(ticket) if self.waiting.iter().any(|waiter| waiter.ticket == ticket) => {
                self.renew(ticket, waker, step);
            }
            _ => {
                // The order of waiters is the order in which they are woken.
                step.writes();
                *place = Some(self.push(0, waker, step));
            }
        }
    }

    pub(super) fn first(&mut self) -> Option<&mut Waiter> {
        self.waiting.front_mut()
    }

    /// The waiter that came first gets what it waits for.
    pub(super) fn grant_first(&mut self, grant: Grant, step: &mut Step) {
        if let Some(waiter) = self.waiting.pop_front() {
            self.grant(waiter, grant, step);
        }
    }

    /// The waiter that came last gets what it waits for.
    pub(super) fn grant_last(&mut self, grant: Grant, step: &mut Step) {
        if let Some(waiter) = self.waiting.pop_back() {
            self.grant(waiter, grant, step);
        }
    }

    /// Every waiter gets what it waits for.
    pub(super) fn grant_all(&mut self, grant: Grant, step: &mut Step) {
        while let Some(waiter) = self.waiting.pop_front() {
            self.grant(waiter, grant, step);
        }
    }

    fn grant(&mut self, waiter: Waiter, grant: Grant, step: &mut Step) {
        step.awaits_no_more(waiter.ticket);
        self.granted.push(Granted { ticket: waiter.ticket, grant, by: step.mark() });
        step.wake(waiter.waker, waiter.task);
    }

    /// Wakes every waiter, to look again; none is granted anything.
    pub(super) fn wake_all(&mut self, step: &mut Step) {
        while let Some(waiter) = self.waiting.pop_front() {
            step.awaits_no_more(waiter.ticket);
            step.wake(waiter.waker, waiter.task);
        }
    }

    /// A granted waiter takes note of it.
    pub(super) fn take(&mut self, ticket: Ticket, step: &Step) -> Option<Grant> {
        let index = self.granted.iter().position(|granted| granted.ticket == ticket)?;
        let granted = self.granted.remove(index);
        step.comes_after(granted.by);
        Some(granted.grant)
    }

    /// A waiter goes.
    pub(super) fn remove(&mut self, ticket: Ticket, step: &mut Step) -> Left {
        step.awaits_no_more(ticket);
        if let Some(index) = self.waiting.iter().position(|waiter| waiter.ticket == ticket) {
            let waiter = self.waiting.remove(index).expect("it was found there");
            step.drop_later(waiter.waker);
            return Left::Waiting { needs: waiter.needs };
        }
        match self.granted.iter().position(|granted| granted.ticket == ticket) {
            Some(index) => Left::Granted(self.granted.remove(index).grant),
            None => Left::Nothing,
        }
    }
}
