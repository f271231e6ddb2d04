//! Drop-in replacements for [`std::sync::mpsc`].
//!
//! A channel made inside a check lives in that execution; one made outside is std's, and cannot be used inside.

mod channel;

use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use caissa_core::ObjectKind;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use self::channel::Channel;
use crate::rt::{self, Misuse, Source};

/// One side of a channel, inside a check or outside.
enum Side<T, S> {
    Inside(Arc<Channel<T>>, Source),
    Outside(S),
}

impl<T, S> Side<T, S> {
    /// std's half, for a thread outside any check.
    #[track_caller]
    fn outside(outside: &S, source: Source) -> &S {
        if let Some(rt) = rt::current() {
            rt.misuse(Misuse::MadeOutside { kind: ObjectKind::Channel, source });
        }
        outside
    }
}

/// The sending half of [`channel`].
pub struct Sender<T>(Side<T, std::sync::mpsc::Sender<T>>);

/// The sending half of [`sync_channel`].
pub struct SyncSender<T>(Side<T, std::sync::mpsc::SyncSender<T>>);

/// The receiving half of a channel.
pub struct Receiver<T> {
    side: Side<T, std::sync::mpsc::Receiver<T>>,
    not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

/// A channel that holds any number of messages.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let source = Location::caller();
    match rt::current() {
        Some(rt) => {
            let channel = Channel::new(rt, None, source);
            (Sender(Side::Inside(Arc::clone(&channel), source)), Receiver::new(Side::Inside(channel, source)))
        }
        None => {
            let (sender, receiver) = std::sync::mpsc::channel();
            (Sender(Side::Outside(sender)), Receiver::new(Side::Outside(receiver)))
        }
    }
}

/// A channel that holds at most `bound` messages; with 0 a sender waits until its message is taken.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let source = Location::caller();
    match rt::current() {
        Some(rt) => {
            let channel = Channel::new(rt, Some(bound), source);
            (
                SyncSender(Side::Inside(Arc::clone(&channel), source)),
                Receiver::new(Side::Inside(channel, source)),
            )
        }
        None => {
            let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
            (SyncSender(Side::Outside(sender)), Receiver::new(Side::Outside(receiver)))
        }
    }
}

impl<T> UnwindSafe for Sender<T> {}
impl<T> RefUnwindSafe for Sender<T> {}
impl<T> UnwindSafe for SyncSender<T> {}
impl<T> RefUnwindSafe for SyncSender<T> {}
impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}

impl<T> Sender<T> {
    /// Sends a message; fails if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let source = Location::caller();
        match &self.0 {
            Side::Inside(channel, _) => channel.send(message, source),
            Side::Outside(sender) => Side::<T, _>::outside(sender, source).send(message),
        }
    }
}

impl<T> SyncSender<T> {
    /// Sends a message, waiting for room; fails if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let source = Location::caller();
        match &self.0 {
            Side::Inside(channel, _) => channel.send(message, source),
            Side::Outside(sender) => Side::<T, _>::outside(sender, source).send(message),
        }
    }

    /// Sends a message if there is room now.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let source = Location::caller();
        match &self.0 {
            Side::Inside(channel, _) => channel.try_send(message, source),
            Side::Outside(sender) => Side::<T, _>::outside(sender, source).try_send(message),
        }
    }
}

impl<T> Receiver<T> {
    fn new(side: Side<T, std::sync::mpsc::Receiver<T>>) -> Receiver<T> {
        Receiver { side, not_sync: std::marker::PhantomData }
    }

    /// Waits for a message; fails if there is none and every sender is gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let source = Location::caller();
        match &self.side {
            Side::Inside(channel, _) => channel.recv(source),
            Side::Outside(receiver) => Side::<T, _>::outside(receiver, source).recv(),
        }
    }

    /// Waits for a message, for at most this time; fails if none came, or none is there and every sender is gone.
    ///
    /// # Errors
    /// [`RecvTimeoutError::Timeout`] if the time has passed, [`RecvTimeoutError::Disconnected`] if no message can come.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let source = Location::caller();
        match &self.side {
            Side::Inside(channel, _) => channel.recv_timeout(timeout, source),
            Side::Outside(receiver) => Side::<T, _>::outside(receiver, source).recv_timeout(timeout),
        }
    }

    /// A message, if there is one now.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let source = Location::caller();
        match &self.side {
            Side::Inside(channel, _) => channel.try_recv(source),
            Side::Outside(receiver) => Side::<T, _>::outside(receiver, source).try_recv(),
        }
    }

    /// Messages until every sender is gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// Messages that are there now.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

/// See [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// See [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// Messages of a receiver that it owns, until every sender is gone.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender(match &self.0 {
            Side::Inside(channel, source) => {
                channel.add_sender(source);
                Side::Inside(Arc::clone(channel), source)
            }
            Side::Outside(sender) => Side::Outside(sender.clone()),
        })
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> SyncSender<T> {
        SyncSender(match &self.0 {
            Side::Inside(channel, source) => {
                channel.add_sender(source);
                Side::Inside(Arc::clone(channel), source)
            }
            Side::Outside(sender) => Side::Outside(sender.clone()),
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Side::Inside(channel, source) = &self.0 {
            channel.drop_sender(source);
        }
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        if let Side::Inside(channel, source) = &self.0 {
            channel.drop_sender(source);
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let Side::Inside(channel, source) = &self.side {
            channel.drop_receiver(source);
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender { .. }")
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SyncSender { .. }")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver { .. }")
    }
}
