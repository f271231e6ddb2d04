//! Channels with room for any number of messages.

use std::future::Future;
use std::panic::Location;
use std::task::{Context, Poll};

use caissa_core::{Note, OpKind};

use super::error::{SendError, TryRecvError};
use super::{Link, Receiver, Sender, WeakSender};
use crate::future::sync::opaque_debug;
use crate::rt::Source;

/// Sends without ever waiting.
pub struct UnboundedSender<T>(Sender<T>);

/// A sender that does not keep the channel open.
pub struct WeakUnboundedSender<T>(WeakSender<T>);

/// Receives what [`UnboundedSender`]s send.
pub struct UnboundedReceiver<T>(Receiver<T>);

opaque_debug!(UnboundedSender<T>, WeakUnboundedSender<T>, UnboundedReceiver<T>);

impl<T> UnboundedSender<T> {
    pub(super) fn new(link: Link<T>, source: Source) -> UnboundedSender<T> {
        UnboundedSender(Sender::new(link, source))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.link.step(OpKind::AsyncSend, Location::caller(), |channel, step| {
            if channel.closed {
                step.reads();
                step.note(|| Note::Disconnected);
                return Err(SendError(message));
            }
            channel.permits.try_acquire(1, step);
            channel.put(message, step);
            Ok(())
        })
    }

    /// Waits until the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        self.0.closed()
    }

    /// Whether the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Whether both send to the same channel.
    pub fn same_channel(&self, other: &UnboundedSender<T>) -> bool {
        self.0.same_channel(&other.0)
    }

    /// A sender that does not keep the channel open.
    pub fn downgrade(&self) -> WeakUnboundedSender<T> {
        WeakUnboundedSender(self.0.downgrade())
    }
}

impl<T> Clone for UnboundedSender<T> {
    fn clone(&self) -> UnboundedSender<T> {
        UnboundedSender(self.0.clone())
    }
}

impl<T> WeakUnboundedSender<T> {
    /// A sender, if there is still one.
    #[track_caller]
    pub fn upgrade(&self) -> Option<UnboundedSender<T>> {
        self.0.upgrade().map(UnboundedSender)
    }
}

impl<T> Clone for WeakUnboundedSender<T> {
    fn clone(&self) -> WeakUnboundedSender<T> {
        WeakUnboundedSender(self.0.clone())
    }
}

impl<T> UnboundedReceiver<T> {
    pub(super) fn new(link: Link<T>, source: Source) -> UnboundedReceiver<T> {
        UnboundedReceiver(Receiver::new(link, source))
    }

    /// As [`Receiver::recv`].
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
        self.0.recv()
    }

    /// As [`Receiver::poll_recv`].
    #[track_caller]
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.0.poll_recv(cx)
    }

    /// As [`Receiver::recv_many`].
    #[track_caller]
    pub fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> impl Future<Output = usize> {
        self.0.recv_many(buffer, limit)
    }

    /// As [`Receiver::blocking_recv`].
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Option<T> {
        self.0.blocking_recv()
    }

    /// As [`Receiver::try_recv`].
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.0.try_recv()
    }

    /// As [`Receiver::close`].
    #[track_caller]
    pub fn close(&mut self) {
        self.0.close();
    }

    /// As [`Receiver::is_closed`].
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// As [`Receiver::is_empty`].
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As [`Receiver::len`].
    #[track_caller]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
