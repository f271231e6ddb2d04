//! A channel for one message; see tokio's `sync::oneshot`.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use caissa_core::{Note, ObjectKind, OpKind};

use super::opaque_debug;
use crate::future::block_on;
use crate::future::queue::{Queue, Ticket};
use crate::future::shared::{Shared, State};
use crate::rt::Source;

struct Channel<T> {
    message: Option<T>,
    sender_gone: bool,
    receiver_closed: bool,
    receiver: Queue,
    sender: Queue,
}

impl<T> State for Channel<T> {
    fn is_as_made(&mut self) -> bool {
        self.receiver.forget();
        self.sender.forget();
        self.message.is_none() && !self.sender_gone && !self.receiver_closed
    }
}

/// Why there is no message.
pub mod error {
    use std::fmt;

    /// The sender was dropped without sending.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RecvError(pub(super) ());

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the channel is closed")
        }
    }

    impl std::error::Error for RecvError {}

    /// Why there is no message now.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// It may still come.
        Empty,
        /// It will not come.
        Closed,
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "the channel is empty",
                TryRecvError::Closed => "the channel is closed",
            })
        }
    }

    impl std::error::Error for TryRecvError {}
}

use error::{RecvError, TryRecvError};

/// Sends the one message.
pub struct Sender<T> {
    shared: Arc<Shared<Channel<T>>>,
    /// It has sent.
    done: bool,
    waiting: Option<Ticket>,
    source: Source,
}

/// Gets the one message: a future.
pub struct Receiver<T> {
    shared: Arc<Shared<Channel<T>>>,
    /// It has got the message, or the news that none will come.
    done: bool,
    waiting: Option<Ticket>,
    source: Source,
}

opaque_debug!(Sender<T>, Receiver<T>);

/// A channel for one message.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let source = Location::caller();
    let channel = Channel {
        message: None,
        sender_gone: false,
        receiver_closed: false,
        receiver: Queue::new(),
        sender: Queue::new(),
    };
    let shared = Arc::new(Shared::made(ObjectKind::Oneshot, channel, source));
    (
        Sender { shared: Arc::clone(&shared), done: false, waiting: None, source },
        Receiver { shared, done: false, waiting: None, source },
    )
}

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// # Errors
    /// If the receiver is gone or has closed the channel; the message comes back.
    #[track_caller]
    pub fn send(mut self, message: T) -> Result<(), T> {
        self.done = true;
        self.shared.step(OpKind::OneshotSend, Location::caller(), |channel, step| {
            if channel.receiver_closed {
                step.reads();
                step.note(|| Note::Disconnected);
                return Err(message);
            }
            step.writes();
            channel.message = Some(message);
            channel.sender_gone = true;
            channel.receiver.wake_all(step);
            Ok(())
        })
    }

    /// Whether the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared.step(OpKind::OneshotIsClosed, Location::caller(), |channel, step| {
            step.reads();
            channel.receiver_closed
        })
    }

    /// Waits until the receiver is gone or has closed the channel.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> {
        let source = Location::caller();
        std::future::poll_fn(move |cx| self.poll_closed_at(cx, source))
    }

    /// See [`Sender::closed`].
    #[track_caller]
    pub fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_closed_at(cx, Location::caller())
    }

    fn poll_closed_at(&mut self, cx: &Context<'_>, source: Source) -> Poll<()> {
        let waiting = &mut self.waiting;
        self.shared.step(OpKind::OneshotClosed, source, |channel, step| {
            step.reads();
            step.tried(channel.receiver_closed);
            if channel.receiver_closed {
                return Poll::Ready(());
            }
            channel.sender.push_or_renew(waiting, cx.waker(), step);
            Poll::Pending
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if !self.done {
            self.shared.step_in_drop(OpKind::OneshotDropSender, self.source, |channel, step| {
                step.writes();
                channel.sender_gone = true;
                channel.receiver.wake_all(step);
            });
        }
    }
}

impl<T> Receiver<T> {
    /// Closes the channel: nothing can be sent any more, but a message that was sent can still be received.
    #[track_caller]
    pub fn close(&mut self) {
        self.shared.step(OpKind::OneshotClose, Location::caller(), |channel, step| {
            step.writes();
            channel.receiver_closed = true;
            channel.sender.wake_all(step);
        });
    }

    /// The message, if it is there now.
    ///
    /// # Errors
    /// If it is not there yet, or will not come.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        if self.done {
            return Err(TryRecvError::Closed);
        }
        let source = Location::caller();
        let result = self.shared.step(OpKind::OneshotTryRecv, source, |channel, step| {
            let Some(message) = channel.message.take() else {
                step.reads();
                let closed = channel.sender_gone || channel.receiver_closed;
                step.note(|| if closed { Note::Disconnected } else { Note::Tried(false) });
                return Err(if closed { TryRecvError::Closed } else { TryRecvError::Empty });
            };
            step.writes();
            step.tried(true);
            Ok(message)
        });
        self.done = !matches!(result, Err(TryRecvError::Empty));
        if !self.done {
            crate::rt::yields();
        }
        result
    }

    /// Waits for the message, blocking the task or thread.
    ///
    /// # Errors
    /// If it will not come.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        block_on(self)
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T, RecvError>> {
        let this = self.get_mut();
        assert!(!this.done, "a oneshot receiver was polled after it had given its message");
        let waiting = &mut this.waiting;
        let polled = this.shared.step(OpKind::OneshotRecv, this.source, |channel, step| {
            if let Some(message) = channel.message.take() {
                step.writes();
                step.tried(true);
                return Poll::Ready(Ok(message));
            }
            step.reads();
            if channel.sender_gone || channel.receiver_closed {
                step.note(|| Note::Disconnected);
                return Poll::Ready(Err(RecvError(())));
            }
            step.tried(false);
            channel.receiver.push_or_renew(waiting, cx.waker(), step);
            Poll::Pending
        });
        this.done = polled.is_ready();
        polled
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut message = None;
        let waiting = self.waiting;
        if self.done {
            return;
        }
        self.shared.step_in_drop(OpKind::OneshotDropReceiver, self.source, |channel, step| {
            step.writes();
            channel.receiver_closed = true;
            channel.sender.wake_all(step);
            if let Some(ticket) = waiting {
                channel.receiver.remove(ticket, step);
            }
            message = channel.message.take();
        });
        drop(message);
    }
}
