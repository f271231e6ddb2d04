//! The receiving half of a channel with a capacity; that of one without is the same, under another name.

use std::future::Future;
use std::panic::Location;
use std::task::{Context, Poll};

use caissa_core::OpKind;

use super::error::TryRecvError;
use super::{Both, Link};
use crate::future::block_on;
use crate::future::queue::Ticket;
use crate::future::sync::opaque_debug;
use crate::rt::Source;

/// Receives what [`Sender`](super::Sender)s send.
pub struct Receiver<T> {
    link: Link<T>,
    waiting: Option<Ticket>,
    source: Source,
}

opaque_debug!(Receiver<T>);

impl<T> Receiver<T> {
    pub(super) fn new(link: Link<T>, source: Source) -> Receiver<T> {
        Receiver { link, waiting: None, source }
    }

    /// Waits for a message; `None` once the channel is closed and empty. Dropped before it ends, it has taken nothing.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
        let source = Location::caller();
        std::future::poll_fn(move |cx| self.link.poll_recv(&mut self.waiting, cx, source))
    }

    /// See [`Receiver::recv`].
    #[track_caller]
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        self.link.poll_recv(&mut self.waiting, cx, Location::caller())
    }

    /// Waits for messages and adds up to `limit` of those that are there to `buffer`. Tells how many; 0 once the channel is
    /// closed and empty.
    #[track_caller]
    pub fn recv_many(&mut self, buffer: &mut Vec<T>, limit: usize) -> impl Future<Output = usize> {
        let source = Location::caller();
        async move {
            let mut count = 0;
            while count < limit {
                let message = if count == 0 {
                    std::future::poll_fn(|cx| self.link.poll_recv(&mut self.waiting, cx, source)).await
                } else {
                    self.link.try_recv(source).ok()
                };
                let Some(message) = message else { break };
                buffer.push(message);
                count += 1;
            }
            count
        }
    }

    /// Waits for a message, blocking the task or thread.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Option<T> {
        block_on(self.recv())
    }

    /// A message, if there is one now.
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.link.try_recv(Location::caller())
    }

    /// Closes the channel: nothing can be sent any more, save by who has reserved room, but what was sent can be received.
    #[track_caller]
    pub fn close(&mut self) {
        self.link.step(OpKind::AsyncClose, Location::caller(), super::Channel::close);
    }

    /// Whether nothing can be sent any more.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.link.look(Location::caller(), |channel| channel.closed || channel.senders == 0)
    }

    /// Whether there is no message now.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.link.look(Location::caller(), |channel| channel.messages.is_empty())
    }

    /// How many messages are there now.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.link.look(Location::caller(), |channel| channel.messages.len())
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

    /// How many senders there are.
    #[track_caller]
    pub fn sender_strong_count(&self) -> usize {
        self.link.look(Location::caller(), |channel| channel.senders)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.link.drop_receiver(self.waiting, self.source);
    }
}
