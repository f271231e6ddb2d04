//! [`Notify`].

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use caissa_core::{Note, ObjectKind, OpKind};

use crate::future::queue::{Grant, Left, Queue, Ticket};
use crate::future::shared::{Shared, State, Step};
use crate::rt::Source;

/// Tells tasks that something has happened; see tokio's `Notify`.
///
/// [`Notify::notify_one`] is kept for the next waiter if nobody waits, but never more than one of it is.
/// [`Notify::notify_waiters`] is not kept: it reaches the futures that [`Notify::notified`] has made before.
#[derive(Debug)]
pub struct Notify {
    shared: Shared<Notices>,
}

#[derive(Debug)]
struct Notices {
    /// A notification that nobody has got yet.
    kept: bool,
    /// How often all were notified.
    rounds: u64,
    queue: Queue,
}

impl State for Notices {
    fn is_as_made(&mut self) -> bool {
        self.queue.forget();
        !self.kept && self.rounds == 0
    }
}

impl Notices {
    fn notify(&mut self, last: bool, step: &mut Step) {
        if self.queue.is_empty() {
            step.note(|| Note::Woke(Vec::new()));
            self.kept = true;
        } else if last {
            self.queue.grant_last(Grant::Given, step);
        } else {
            self.queue.grant_first(Grant::Given, step);
        }
    }
}

impl Default for Notify {
    fn default() -> Notify {
        Notify::new()
    }
}

impl Notify {
    /// Nobody waits, and no notification is kept.
    pub const fn new() -> Notify {
        let notices = Notices { kept: false, rounds: 0, queue: Queue::new() };
        Notify { shared: Shared::new(ObjectKind::Notify, notices) }
    }

    /// As [`Notify::new`].
    pub const fn const_new() -> Notify {
        Notify::new()
    }

    /// A future that waits for a notification. It comes to wait when it is polled or [enabled](Notified::enable), but
    /// [`Notify::notify_waiters`] reaches it from now on.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        let source = Location::caller();
        let rounds = self.shared.step(OpKind::Notified, source, |notices, step| {
            step.reads();
            notices.rounds
        });
        Notified { notify: self, rounds, wait: Wait::Coming, source }
    }

    /// Notifies the waiter that came first, or the next one to come.
    #[track_caller]
    pub fn notify_one(&self) {
        self.shared.step(OpKind::AsyncNotifyOne, Location::caller(), |notices, step| {
            step.writes();
            notices.notify(false, step);
        });
    }

    /// Notifies the waiter that came last, or the next one to come.
    #[track_caller]
    pub fn notify_last(&self) {
        self.shared.step(OpKind::AsyncNotifyLast, Location::caller(), |notices, step| {
            step.writes();
            notices.notify(true, step);
        });
    }

    /// Notifies all who wait now.
    #[track_caller]
    pub fn notify_waiters(&self) {
        self.shared.step(OpKind::NotifyWaiters, Location::caller(), |notices, step| {
            step.writes();
            notices.rounds += 1;
            notices.queue.grant_all(Grant::All, step);
        });
    }
}

/// Waits for a notification of a [`Notify`].
#[must_use = "futures do nothing unless polled"]
#[derive(Debug)]
pub struct Notified<'a> {
    notify: &'a Notify,
    /// How often all had been notified when it was made.
    rounds: u64,
    wait: Wait,
    source: Source,
}

#[derive(Debug)]
enum Wait {
    Coming,
    Waiting(Ticket),
    Done,
}

impl Notified<'_> {
    /// Comes to wait without being polled. True: the notification is there.
    pub fn enable(self: Pin<&mut Self>) -> bool {
        self.get_mut().go_on(Waker::noop())
    }

    fn go_on(&mut self, waker: &Waker) -> bool {
        let done = match self.wait {
            Wait::Coming => self.come(waker),
            Wait::Waiting(ticket) => self.look(ticket, waker),
            Wait::Done => true,
        };
        if done {
            self.wait = Wait::Done;
        }
        done
    }

    fn come(&mut self, waker: &Waker) -> bool {
        let (rounds, wait) = (self.rounds, &mut self.wait);
        self.notify.shared.step(OpKind::PollNotified, self.source, |notices, step| {
            if notices.rounds != rounds {
                step.reads();
                step.tried(true);
                return true;
            }
            step.writes();
            let kept = std::mem::take(&mut notices.kept);
            step.tried(kept);
            if !kept {
                *wait = Wait::Waiting(notices.queue.push(0, waker, step));
            }
            kept
        })
    }

    fn look(&mut self, ticket: Ticket, waker: &Waker) -> bool {
        self.notify.shared.step(OpKind::PollNotified, self.source, |notices, step| {
            let grant = notices.queue.take(ticket, step);
            step.tried(grant.is_some());
            if grant.is_none() {
                step.reads();
                notices.queue.renew(ticket, waker, step);
            }
            grant.is_some()
        })
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.get_mut().go_on(cx.waker()) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        let Wait::Waiting(ticket) = self.wait else { return };
        self.notify.shared.step_in_drop(OpKind::CancelNotified, self.source, |notices, step| {
            step.writes();
            if let Left::Granted(Grant::Given) = notices.queue.remove(ticket, step) {
                notices.notify(false, step);
            }
        });
    }
}
