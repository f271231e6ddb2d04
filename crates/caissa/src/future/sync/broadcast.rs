//! A channel whose every receiver gets every message; see tokio's `sync::broadcast`.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use caissa_core::{Note, ObjectKind, OpKind};

use super::opaque_debug;
use crate::future::block_on;
use crate::future::queue::{Queue, Ticket};
use crate::future::shared::{Shared, State, Step};
use crate::rt::Source;
use error::{RecvError, SendError, TryRecvError};

/// Why nothing was sent or received.
pub mod error {
    use std::fmt;

    /// There is no receiver; the message comes back.
    #[derive(Debug, PartialEq, Eq)]
    pub struct SendError<T>(pub T);

    /// Why there is no message.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum RecvError {
        /// All senders are gone and all messages were received.
        Closed,
        /// So many messages were overwritten before this receiver got them.
        Lagged(u64),
    }

    /// Why there is no message now.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum TryRecvError {
        /// One may still come.
        Empty,
        /// All senders are gone and all messages were received.
        Closed,
        /// So many messages were overwritten before this receiver got them.
        Lagged(u64),
    }

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("there is no receiver")
        }
    }

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                RecvError::Closed => f.write_str("the channel is closed"),
                RecvError::Lagged(missed) => write!(f, "the receiver has missed {missed} messages"),
            }
        }
    }

    impl fmt::Display for TryRecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                TryRecvError::Empty => f.write_str("the channel is empty"),
                TryRecvError::Closed => f.write_str("the channel is closed"),
                TryRecvError::Lagged(missed) => write!(f, "the receiver has missed {missed} messages"),
            }
        }
    }

    impl<T: fmt::Debug> std::error::Error for SendError<T> {}
    impl std::error::Error for RecvError {}
    impl std::error::Error for TryRecvError {}
}

/// The last messages. Each is numbered; a receiver knows the number of the next one that it will get.
struct Channel<T> {
    messages: VecDeque<Message<T>>,
    /// The number of the next message to be sent.
    next: u64,
    capacity: usize,
    senders: usize,
    receivers: usize,
    queue: Queue,
    used: bool,
}

struct Message<T> {
    /// Gone once all receivers have it.
    value: Option<T>,
    /// Receivers that have not got it.
    wanted_by: usize,
}

impl<T> State for Channel<T> {
    fn is_as_made(&mut self) -> bool {
        self.queue.forget();
        !self.used
    }
}

impl<T> Channel<T> {
    /// The number of the oldest message that is kept.
    fn oldest(&self) -> u64 {
        self.next - self.messages.len() as u64
    }

    /// A receiver does not want a message any more. What is left of it is dropped by the caller, outside.
    fn let_go(&mut self, number: u64) -> Option<T> {
        let index = number.checked_sub(self.oldest())? as usize;
        let message = self.messages.get_mut(index)?;
        message.wanted_by -= 1;
        if message.wanted_by == 0 { message.value.take() } else { None }
    }
}

/// Sends to all receivers.
pub struct Sender<T> {
    shared: Arc<Shared<Channel<T>>>,
    source: Source,
}

/// Receives all that is sent while it is there.
pub struct Receiver<T> {
    shared: Arc<Shared<Channel<T>>>,
    /// The number of the next message that it will get.
    next: u64,
    waiting: Option<Ticket>,
    source: Source,
}

opaque_debug!(Sender<T>, Receiver<T>);

/// A channel that keeps the last `capacity` messages; that is rounded up to a power of two.
///
/// # Panics
/// If the capacity is 0, or too large.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(capacity > 0, "a broadcast channel needs room for at least one message");
    assert!(capacity <= usize::MAX >> 1, "a broadcast channel cannot be that large");
    crate::rt::counts_are_seen();
    let source = Location::caller();
    let channel = Channel {
        messages: VecDeque::new(),
        next: 0,
        capacity: capacity.next_power_of_two(),
        senders: 1,
        receivers: 1,
        queue: Queue::new(),
        used: false,
    };
    let shared = Arc::new(Shared::made(ObjectKind::Broadcast, channel, source));
    (Sender { shared: Arc::clone(&shared), source }, Receiver { shared, next: 0, waiting: None, source })
}

impl<T> Sender<T> {
    /// Sends a message to all receivers and tells how many there are.
    ///
    /// # Errors
    /// If there are none.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let mut overwritten = None;
        let sent = self.shared.step(OpKind::BroadcastSend, Location::caller(), |channel, step| {
            if channel.receivers == 0 {
                step.reads();
                step.note(|| Note::Disconnected);
                return Err(SendError(value));
            }
            step.writes();
            channel.used = true;
            step.hides();
            channel.messages.push_back(Message { value: Some(value), wanted_by: channel.receivers });
            channel.next += 1;
            if channel.messages.len() > channel.capacity {
                overwritten = channel.messages.pop_front();
            }
            channel.queue.wake_all(step);
            Ok(channel.receivers)
        });
        drop(overwritten);
        sent
    }

    /// Another receiver, which gets what is sent from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        subscribe(&self.shared, Location::caller())
    }

    /// How many messages are kept that some receiver has not got.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.look(Location::caller(), |channel| {
            channel.messages.iter().skip_while(|message| message.wanted_by == 0).count()
        })
    }

    /// Whether all receivers have got all messages.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.look(Location::caller(), |channel| channel.receivers)
    }

    /// Whether both send to the same channel.
    pub fn same_channel(&self, other: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    fn look<R>(&self, source: Source, f: impl FnOnce(&Channel<T>) -> R) -> R {
        self.shared.step(OpKind::LookAtBroadcast, source, |channel, step| {
            step.reads();
            f(channel)
        })
    }
}

fn subscribe<T>(shared: &Arc<Shared<Channel<T>>>, source: Source) -> Receiver<T> {
    let next = shared.step(OpKind::BroadcastSubscribe, source, |channel, step| {
        step.writes();
        channel.used = true;
        channel.receivers += 1;
        channel.next
    });
    Receiver { shared: Arc::clone(shared), next, waiting: None, source }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        // No point: who can do it has a sender, so nothing that others see depends on it.
        self.shared.glued(self.source, |channel, _| {
            channel.used = true;
            channel.senders += 1;
        });
        Sender { shared: Arc::clone(&self.shared), source: self.source }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.step_in_drop(OpKind::BroadcastDropSender, self.source, |channel, step| {
            step.writes();
            channel.used = true;
            channel.senders -= 1;
            if channel.senders == 0 {
                channel.queue.wake_all(step);
            }
        });
    }
}

impl<T> Receiver<T> {
    /// Another receiver, which gets what is sent from now on.
    #[track_caller]
    pub fn resubscribe(&self) -> Receiver<T> {
        subscribe(&self.shared, Location::caller())
    }

    /// How many messages were sent that it has not got; more than the capacity if it lags.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.shared.step(OpKind::LookAtBroadcast, Location::caller(), |channel, step| {
            step.reads();
            (channel.next - self.next) as usize
        })
    }

    /// Whether it has got all messages.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all senders are gone.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared.step(OpKind::LookAtBroadcast, Location::caller(), |channel, step| {
            step.reads();
            channel.senders == 0
        })
    }

    /// Whether both receive from the same channel.
    pub fn same_channel(&self, other: &Receiver<T>) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T: Clone> Receiver<T> {
    /// Waits for the next message. Dropped before it ends, it has taken nothing.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> {
        Recv { receiver: self, source: Location::caller() }
    }

    fn poll_recv(&mut self, cx: &Context<'_>, source: Source) -> Poll<Result<T, RecvError>> {
        match self.receive(OpKind::BroadcastRecv, Some(cx), source) {
            Ok(value) => Poll::Ready(Ok(value)),
            Err(TryRecvError::Closed) => Poll::Ready(Err(RecvError::Closed)),
            Err(TryRecvError::Lagged(missed)) => Poll::Ready(Err(RecvError::Lagged(missed))),
            Err(TryRecvError::Empty) => Poll::Pending,
        }
    }

    /// The next message, if it is there now.
    ///
    /// # Errors
    /// If it is not there, or was overwritten.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let received = self.receive(OpKind::BroadcastTryRecv, None, Location::caller());
        if let Err(TryRecvError::Empty) = received {
            crate::rt::yields();
        }
        received
    }

    /// Waits for the next message, blocking the task or thread.
    ///
    /// # Errors
    /// If messages were overwritten, or all senders are gone.
    #[track_caller]
    pub fn blocking_recv(&mut self) -> Result<T, RecvError> {
        block_on(self.recv())
    }

    fn receive(&mut self, op: OpKind, cx: Option<&Context<'_>>, source: Source) -> Result<T, TryRecvError> {
        let Receiver { shared, next, waiting, .. } = self;
        let mut last = None;
        let received = shared.step(op, source, |channel, step: &mut Step| {
            if *next == channel.next {
                step.reads();
                if channel.senders == 0 {
                    step.note(|| Note::Disconnected);
                    return Err(TryRecvError::Closed);
                }
                step.tried(false);
                if let Some(cx) = cx {
                    channel.queue.push_or_renew(waiting, cx.waker(), step);
                }
                return Err(TryRecvError::Empty);
            }
            let oldest = channel.oldest();
            if *next < oldest {
                step.reads();
                let missed = oldest - std::mem::replace(next, oldest);
                step.note(|| Note::Saw(format!("{missed} missed")));
                return Err(TryRecvError::Lagged(missed));
            }
            // `Sender::len`, and where the message is dropped, depend on who is the last to get it.
            step.writes();
            step.tried(true);
            let message = &channel.messages[(*next - oldest) as usize];
            let value = message.value.clone().expect("a message stays until all have got it");
            last = channel.let_go(*next);
            *next += 1;
            Ok(value)
        });
        drop(last);
        received
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let (next, waiting) = (self.next, self.waiting);
        let mut unwanted = Vec::new();
        self.shared.step_in_drop(OpKind::BroadcastDropReceiver, self.source, |channel, step| {
            step.writes();
            channel.used = true;
            channel.receivers -= 1;
            if let Some(ticket) = waiting {
                channel.queue.remove(ticket, step);
            }
            for number in next.max(channel.oldest())..channel.next {
                unwanted.extend(channel.let_go(number));
            }
        });
        drop(unwanted);
    }
}

struct Recv<'a, T> {
    receiver: &'a mut Receiver<T>,
    source: Source,
}

impl<T: Clone> Future for Recv<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T, RecvError>> {
        let source = self.source;
        self.get_mut().receiver.poll_recv(cx, source)
    }
}

impl<T> Drop for Recv<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.receiver.waiting.take() {
            self.receiver.shared.glued_in_drop(|channel, step| {
                channel.queue.remove(ticket, step);
            });
        }
    }
}
