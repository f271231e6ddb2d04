//! The sending half of a channel with a capacity.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use caissa_core::{Note, OpKind};

use super::error::{SendError, TrySendError};
use super::{Both, Channel, Closed, Link};
use crate::future::block_on;
use crate::future::permits::{Acquire, HasPermits};
use crate::future::queue::{Grant, Ticket};
use crate::future::shared::Step;
use crate::future::sync::opaque_debug;
use crate::rt::Source;

/// Sends, waiting for room.
pub struct Sender<T> {
    pub(super) link: Link<T>,
    source: Source,
}

/// A sender that does not keep the channel open.
pub struct WeakSender<T> {
    link: Link<T>,
    source: Source,
}

/// Room for one message, given back when dropped.
#[must_use = "room that is dropped is given back"]
pub struct Permit<'a, T> {
    sender: &'a Sender<T>,
    used: bool,
    source: Source,
}

/// Room for one message, with the sender that it is for.
#[must_use = "room that is dropped is given back"]
pub struct OwnedPermit<T> {
    sender: Option<Sender<T>>,
    source: Source,
}

opaque_debug!(Sender<T>, WeakSender<T>, OwnedPermit<T>);

impl<T> std::fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Permit { .. }")
    }
}

impl<T> Sender<T> {
    pub(super) fn new(link: Link<T>, source: Source) -> Sender<T> {
        Sender { link, source }
    }

    /// Sends a message when there is room. Dropped before it ends, it has sent nothing.
    #[track_caller]
    pub fn send(&self, message: T) -> impl Future<Output = Result<(), SendError<T>>> {
        Send { link: &self.link, message: Some(message), waiting: None, source: Location::caller() }
    }

    /// As [`Sender::send`], blocking the task or thread.
    ///
    /// # Errors
    /// If the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn blocking_send(&self, message: T) -> Result<(), SendError<T>> {
        block_on(self.send(message))
    }

    /// Sends a message if there is room now.
    ///
    /// # Errors
    /// If there is none, or the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut message = Some(message);
        let taken = self.take(Location::caller(), |channel, step| {
            channel.put(message.take().expect("there is one message"), step);
        });
        match (taken, message) {
            (Err(TrySendError::Full(())), Some(message)) => Err(TrySendError::Full(message)),
            (Err(TrySendError::Closed(())), Some(message)) => Err(TrySendError::Closed(message)),
            _ => Ok(()),
        }
    }

    /// Waits for room and keeps it.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> {
        let source = Location::caller();
        let room = self.room(source);
        async move {
            if !room.await {
                return Err(SendError(()));
            }
            Ok(Permit { sender: self, used: false, source })
        }
    }

    /// As [`Sender::reserve`], with the sender.
    #[track_caller]
    pub fn reserve_owned(self) -> impl Future<Output = Result<OwnedPermit<T>, SendError<()>>> {
        let source = Location::caller();
        async move {
            if !self.room(source).await {
                return Err(SendError(()));
            }
            Ok(OwnedPermit { sender: Some(self), source })
        }
    }

    fn room(&self, source: Source) -> Acquire<'_, Channel<T>> {
        Acquire::new(&self.link, 1, OpKind::AsyncReserve, OpKind::CancelReserve, source)
    }

    /// Keeps room if there is some now.
    ///
    /// # Errors
    /// If there is none, or the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        let source = Location::caller();
        self.take(source, |_, step| step.writes())?;
        Ok(Permit { sender: self, used: false, source })
    }

    /// As [`Sender::try_reserve`], with the sender.
    ///
    /// # Errors
    /// If there is none, or the receiver is gone or has closed the channel; the sender comes back.
    #[track_caller]
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, TrySendError<Sender<T>>> {
        let source = Location::caller();
        match self.take(source, |_, step| step.writes()) {
            Ok(()) => Ok(OwnedPermit { sender: Some(self), source }),
            Err(TrySendError::Full(())) => Err(TrySendError::Full(self)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(self)),
        }
    }

    fn take(
        &self,
        source: Source,
        taken: impl FnOnce(&mut Channel<T>, &mut Step),
    ) -> Result<(), TrySendError<()>> {
        self.link.step(OpKind::AsyncTrySend, source, |channel, step| {
            if channel.closed {
                step.reads();
                step.note(|| Note::Disconnected);
                return Err(TrySendError::Closed(()));
            }
            let free = channel.permits.try_acquire(1, step);
            step.tried(free);
            if !free {
                step.reads();
                crate::rt::yields();
                return Err(TrySendError::Full(()));
            }
            channel.used = true;
            taken(channel, step);
            Ok(())
        })
    }

    /// Waits until the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        Closed { link: &self.link, waiting: None, source: Location::caller() }
    }

    /// Whether the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.link.look(Location::caller(), |channel| channel.closed)
    }

    /// For how many more messages there is room.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        self.link.look(Location::caller(), |channel| channel.permits.available)
    }

    /// For how many messages there is room in all.
    #[track_caller]
    pub fn max_capacity(&self) -> usize {
        self.link.look(Location::caller(), |channel| channel.capacity)
    }

    /// Whether both send to the same channel.
    pub fn same_channel(&self, other: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.link, &other.link)
    }

    /// A sender that does not keep the channel open.
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender { link: Arc::clone(&self.link), source: self.source }
    }

    fn send_reserved(&self, message: T, source: Source) {
        self.link.step(OpKind::AsyncSend, source, |channel, step| channel.put(message, step));
    }

    fn give_back(&self, source: Source) {
        self.link.step_in_drop(OpKind::AsyncUnreserve, source, |channel, step| {
            step.writes();
            channel.permits.release(1, step);
            channel.gave_up(step);
        });
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        self.link.add_sender();
        Sender { link: Arc::clone(&self.link), source: self.source }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.link.drop_sender(self.source);
    }
}

impl<T> WeakSender<T> {
    /// A sender, if there is still one.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Sender<T>> {
        let link = Arc::clone(&self.link);
        self.link.upgrade(Location::caller()).then_some(())?;
        Some(Sender { link, source: self.source })
    }
}

impl<T> Clone for WeakSender<T> {
    fn clone(&self) -> WeakSender<T> {
        WeakSender { link: Arc::clone(&self.link), source: self.source }
    }
}

impl<T> Permit<'_, T> {
    /// Sends a message.
    #[track_caller]
    pub fn send(mut self, message: T) {
        self.sender.send_reserved(message, Location::caller());
        self.used = true;
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if !self.used {
            self.sender.give_back(self.source);
        }
    }
}

impl<T> OwnedPermit<T> {
    /// Sends a message and gives the sender back.
    #[track_caller]
    pub fn send(mut self, message: T) -> Sender<T> {
        let sender = self.sender.take().expect("it is there until the permit is used");
        sender.send_reserved(message, Location::caller());
        sender
    }

    /// Gives the room and the sender back.
    #[track_caller]
    pub fn release(mut self) -> Sender<T> {
        let sender = self.sender.take().expect("it is there until the permit is used");
        sender.give_back(Location::caller());
        sender
    }
}

impl<T> Drop for OwnedPermit<T> {
    fn drop(&mut self) {
        if let Some(sender) = self.sender.take() {
            sender.give_back(self.source);
        }
    }
}

/// Waits for room and sends in the step in which there is some.
struct Send<'a, T> {
    link: &'a Link<T>,
    message: Option<T>,
    waiting: Option<Ticket>,
    source: Source,
}

impl<T> Unpin for Send<'_, T> {}

impl<T> Future for Send<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
        let Send { link, message, waiting, source } = self.get_mut();
        let room = link.step(OpKind::AsyncSend, source, |channel, step| {
            let room = match *waiting {
                None if channel.closed => Some(false),
                None => channel.permits.try_acquire(1, step).then_some(true),
                Some(ticket) => {
                    channel.permits.look(ticket, cx.waker(), step).map(|grant| grant == Grant::Given)
                }
            };
            match room {
                Some(true) => {
                    *waiting = None;
                    step.tried(true);
                    channel.put(message.take().expect("a send is not polled again once it has sent"), step);
                }
                Some(false) => {
                    *waiting = None;
                    step.reads();
                    step.note(|| Note::Disconnected);
                }
                None if waiting.is_none() => {
                    channel.used = true;
                    step.writes();
                    step.tried(false);
                    *waiting = Some(channel.permits.come(1, cx.waker(), step));
                }
                None => step.tried(false),
            }
            room
        });
        match room {
            Some(true) => Poll::Ready(Ok(())),
            Some(false) => Poll::Ready(Err(SendError(
                message.take().expect("a send is not polled again once it has failed"),
            ))),
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for Send<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.waiting {
            self.link.step_in_drop(OpKind::CancelReserve, self.source, |channel, step| {
                step.writes();
                channel.permits.cancel(ticket, 1, step);
                channel.gave_up(step);
            });
        }
    }
}
