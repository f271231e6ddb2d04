//! Channels of many senders and one receiver; see tokio's `sync::mpsc`.

mod receiver;
mod sender;
mod unbounded;

use std::collections::VecDeque;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Context, Poll};

use caissa_core::{Note, ObjectKind, OpKind};

pub use receiver::Receiver;
pub use sender::{OwnedPermit, Permit, Sender, WeakSender};
pub use unbounded::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender};

use super::semaphore::Semaphore;
use crate::future::permits::{HasPermits, Permits};
use crate::future::queue::{Queue, Ticket};
use crate::future::shared::{Shared, State, Step};
use crate::rt::Source;
use error::TryRecvError;

/// Why nothing was sent or received.
pub mod error {
    use std::fmt;

    /// The receiver is gone or has closed the channel; the message comes back.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct SendError<T>(pub T);

    /// Why nothing was sent now; the message comes back.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum TrySendError<T> {
        /// There is no room.
        Full(T),
        /// The receiver is gone or has closed the channel.
        Closed(T),
    }

    impl<T> TrySendError<T> {
        /// The message.
        pub fn into_inner(self) -> T {
            match self {
                TrySendError::Full(message) | TrySendError::Closed(message) => message,
            }
        }
    }

    /// Why there is no message now.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// One may still come.
        Empty,
        /// None will come.
        Disconnected,
    }

    impl<T> fmt::Debug for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("SendError(..)")
        }
    }

    impl<T> fmt::Debug for TrySendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TrySendError::Full(_) => "Full(..)",
                TrySendError::Closed(_) => "Closed(..)",
            })
        }
    }

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the channel is closed")
        }
    }

    impl<T> fmt::Display for TrySendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TrySendError::Full(_) => "the channel is full",
                TrySendError::Closed(_) => "the channel is closed",
            })
        }
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                TryRecvError::Empty => "the channel is empty",
                TryRecvError::Disconnected => "the channel is closed and empty",
            })
        }
    }

    impl<T> std::error::Error for SendError<T> {}
    impl<T> std::error::Error for TrySendError<T> {}
    impl std::error::Error for TryRecvError {}
}

/// The state of a channel. A permit is room for a message: taken by who sends, given back by who receives.
struct Channel<T> {
    messages: VecDeque<T>,
    permits: Permits,
    capacity: usize,
    senders: usize,
    /// The receiver takes what was sent, and is told of nothing new.
    closed: bool,
    receiver: Queue,
    /// Who waits for the end of the receiver.
    closing: Queue,
    used: bool,
}

impl<T> State for Channel<T> {
    fn is_as_made(&mut self) -> bool {
        self.permits.is_as_made();
        self.receiver.forget();
        self.closing.forget();
        !self.used
    }
}

impl<T> HasPermits for Channel<T> {
    fn permits(&mut self) -> &mut Permits {
        self.used = true;
        &mut self.permits
    }

    /// The receiver of a closed channel waits only for room that was reserved before.
    fn gave_up(&mut self, step: &mut Step) {
        if self.closed {
            self.receiver.wake_all(step);
        }
    }
}

type Link<T> = Arc<Shared<Channel<T>>>;

impl<T> Channel<T> {
    fn link(capacity: usize, source: Source) -> Link<T> {
        Arc::new(Shared::made(
            ObjectKind::AsyncChannel,
            Channel {
                messages: VecDeque::new(),
                permits: Permits::new(capacity, false),
                capacity,
                senders: 1,
                closed: false,
                receiver: Queue::new(),
                closing: Queue::new(),
                used: false,
            },
            source,
        ))
    }

    /// Puts a message that there is room for.
    fn put(&mut self, message: T, step: &mut Step) {
        self.used = true;
        step.writes();
        step.hides();
        self.messages.push_back(message);
        self.receiver.wake_all(step);
    }

    /// No message will come any more.
    fn is_over(&self) -> bool {
        let outstanding = self.permits.available != self.capacity;
        self.messages.is_empty() && (self.senders == 0 || self.closed && !outstanding)
    }

    fn take(&mut self, step: &mut Step) -> Result<T, TryRecvError> {
        let Some(message) = self.messages.pop_front() else {
            step.reads();
            let over = self.is_over();
            step.note(|| if over { Note::Disconnected } else { Note::Tried(false) });
            return Err(if over { TryRecvError::Disconnected } else { TryRecvError::Empty });
        };
        step.writes();
        step.tried(true);
        self.permits.release(1, step);
        Ok(message)
    }

    fn close(&mut self, step: &mut Step) {
        self.used = true;
        step.writes();
        self.closed = true;
        self.permits.close(step);
        self.closing.wake_all(step);
    }
}

/// What both kinds of channel do.
trait Both<T> {
    fn poll_recv(&self, waiting: &mut Option<Ticket>, cx: &Context<'_>, source: Source) -> Poll<Option<T>>;
    fn try_recv(&self, source: Source) -> Result<T, TryRecvError>;
    fn add_sender(&self);
    fn drop_sender(&self, source: Source);
    fn upgrade(&self, source: Source) -> bool;
    fn drop_receiver(&self, waiting: Option<Ticket>, source: Source);
    fn look<R>(&self, source: Source, f: impl FnOnce(&Channel<T>) -> R) -> R;
    fn poll_closed(&self, waiting: &mut Option<Ticket>, cx: &Context<'_>, source: Source) -> Poll<()>;
}

impl<T> Both<T> for Link<T> {
    fn poll_recv(&self, waiting: &mut Option<Ticket>, cx: &Context<'_>, source: Source) -> Poll<Option<T>> {
        self.step(OpKind::AsyncRecv, source, |channel, step| match channel.take(step) {
            Ok(message) => Poll::Ready(Some(message)),
            Err(TryRecvError::Disconnected) => Poll::Ready(None),
            Err(TryRecvError::Empty) => {
                channel.receiver.push_or_renew(waiting, cx.waker(), step);
                Poll::Pending
            }
        })
    }

    fn try_recv(&self, source: Source) -> Result<T, TryRecvError> {
        let taken = self.step(OpKind::AsyncTryRecv, source, Channel::take);
        if let Err(TryRecvError::Empty) = taken {
            crate::rt::yields();
        }
        taken
    }

    /// No point: who can do it has a sender, so nothing that others see depends on it.
    fn add_sender(&self) {
        self.glued(Location::caller(), |channel, _| {
            channel.used = true;
            channel.senders += 1;
        });
    }

    fn drop_sender(&self, source: Source) {
        self.step_in_drop(OpKind::AsyncDropSender, source, |channel, step| {
            channel.used = true;
            step.writes();
            channel.senders -= 1;
            if channel.senders == 0 {
                channel.receiver.wake_all(step);
            }
        });
    }

    fn upgrade(&self, source: Source) -> bool {
        self.step(OpKind::AsyncAddSender, source, |channel, step| {
            let upgraded = channel.senders > 0;
            step.tried(upgraded);
            if !upgraded {
                step.reads();
                return false;
            }
            step.writes();
            channel.senders += 1;
            true
        })
    }

    fn drop_receiver(&self, waiting: Option<Ticket>, source: Source) {
        let mut lost = VecDeque::new();
        self.step_in_drop(OpKind::AsyncDropReceiver, source, |channel, step| {
            channel.close(step);
            if let Some(ticket) = waiting {
                channel.receiver.remove(ticket, step);
            }
            lost = std::mem::take(&mut channel.messages);
        });
        drop(lost);
    }

    fn look<R>(&self, source: Source, f: impl FnOnce(&Channel<T>) -> R) -> R {
        self.step(OpKind::LookAtChannel, source, |channel, step| {
            step.reads();
            f(channel)
        })
    }

    fn poll_closed(&self, waiting: &mut Option<Ticket>, cx: &Context<'_>, source: Source) -> Poll<()> {
        self.step(OpKind::AsyncClosed, source, |channel, step| {
            step.reads();
            step.tried(channel.closed);
            if channel.closed {
                return Poll::Ready(());
            }
            channel.closing.push_or_renew(waiting, cx.waker(), step);
            Poll::Pending
        })
    }
}

/// Waits until the receiver is gone or has closed the channel.
struct Closed<'a, T> {
    link: &'a Link<T>,
    waiting: Option<Ticket>,
    source: Source,
}

impl<T> Future for Closed<'_, T> {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let source = self.source;
        self.link.poll_closed(&mut self.waiting, cx, source)
    }
}

impl<T> Drop for Closed<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.waiting {
            self.link.glued_in_drop(|channel, step| {
                channel.closing.remove(ticket, step);
            });
        }
    }
}

/// A channel with room for `capacity` messages. Who waits for room is served in the order of arrival.
///
/// # Panics
/// If the capacity is 0 or more than [`Semaphore::MAX_PERMITS`].
#[track_caller]
pub fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(capacity > 0, "a channel needs room for at least one message");
    assert!(
        capacity <= Semaphore::MAX_PERMITS,
        "a channel cannot have room for more than MAX_PERMITS messages"
    );
    crate::rt::counts_are_seen();
    let source = Location::caller();
    let link = Channel::link(capacity, source);
    (Sender::new(Arc::clone(&link), source), Receiver::new(link, source))
}

/// A channel with room for any number of messages.
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    crate::rt::counts_are_seen();
    let source = Location::caller();
    let link = Channel::link(Semaphore::MAX_PERMITS, source);
    (UnboundedSender::new(Arc::clone(&link), source), UnboundedReceiver::new(link, source))
}
