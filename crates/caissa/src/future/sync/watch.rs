//! A channel that keeps the last value; see tokio's `sync::watch`.
//!
//! The value lies in a [`RwLock`] as tokio's does in one of std's: a [`Ref`] holds it for reading, and
//! sending while one is held blocks the thread. The versions are a second object, changed while the lock is held for writing.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use caissa_core::{Note, ObjectKind, OpKind};

use super::opaque_debug;
use crate::future::queue::{Queue, Ticket};
use crate::future::shared::{Shared, State};
use crate::rt::Source;
use crate::sync::{RwLock, RwLockReadGuard};
use error::{RecvError, SendError};

/// Why nothing was sent or seen.
pub mod error {
    use std::fmt;

    /// There is no receiver; the value comes back.
    #[derive(PartialEq, Eq, Clone, Copy)]
    pub struct SendError<T>(pub T);

    /// All senders are gone.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RecvError(pub(super) ());

    impl<T> fmt::Debug for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("SendError(..)")
        }
    }

    impl<T> fmt::Display for SendError<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("there is no receiver")
        }
    }

    impl fmt::Display for RecvError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("all senders are gone")
        }
    }

    impl<T> std::error::Error for SendError<T> {}
    impl std::error::Error for RecvError {}
}

struct Versions {
    version: u64,
    senders: usize,
    receivers: usize,
    /// Who waits for another version.
    changing: Queue,
    /// Who waits for the last receiver to go.
    closing: Queue,
    used: bool,
}

impl State for Versions {
    fn is_as_made(&mut self) -> bool {
        self.changing.forget();
        self.closing.forget();
        !self.used
    }
}

struct Channel<T> {
    value: RwLock<T>,
    versions: Shared<Versions>,
}

impl<T> Channel<T> {
    #[track_caller]
    fn read(&self) -> RwLockReadGuard<'_, T> {
        self.value.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<R>(&self, source: Source, f: impl FnOnce(&Versions) -> R) -> R {
        self.versions.step(OpKind::LookAtWatch, source, |versions, step| {
            step.reads();
            f(versions)
        })
    }

    /// The version, while the value is locked: it cannot change, so this needs no point.
    fn version(&self, source: Source) -> u64 {
        self.versions.glued(source, |versions, step| {
            step.reads();
            versions.version
        })
    }

    fn subscribe(self: &Arc<Self>, source: Source) -> Receiver<T> {
        let seen = self.versions.step(OpKind::WatchSubscribe, source, |versions, step| {
            step.writes();
            versions.used = true;
            versions.receivers += 1;
            versions.version
        });
        Receiver { channel: Arc::clone(self), seen, source }
    }
}

/// Changes the value.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
    source: Source,
}

/// Sees the value and that it has changed.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    /// The version that it has seen.
    seen: u64,
    source: Source,
}

opaque_debug!(Sender<T>, Receiver<T>);

/// The value, which cannot change while this is held.
pub struct Ref<'a, T> {
    value: RwLockReadGuard<'a, T>,
    has_changed: bool,
}

impl<T> Ref<'_, T> {
    /// Whether the receiver had not seen this version.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ref").field("value", &**self).field("has_changed", &self.has_changed).finish()
    }
}

/// A channel with a first value, which the receiver counts as seen.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    crate::rt::counts_are_seen();
    let source = Location::caller();
    let versions = Versions {
        version: 0,
        senders: 1,
        receivers: 1,
        changing: Queue::new(),
        closing: Queue::new(),
        used: false,
    };
    let versions = Shared::made(ObjectKind::Watch, versions, source);
    let channel = Arc::new(Channel { value: RwLock::new(value), versions });
    (Sender { channel: Arc::clone(&channel), source }, Receiver { channel, seen: 0, source })
}

impl<T> Sender<T> {
    /// Makes this the value and wakes who waits for a change.
    ///
    /// # Errors
    /// If there is no receiver; the value stays as it is.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let source = Location::caller();
        let mut value = Some(value);
        let mut changed = |old: &mut T| {
            if let Some(new) = value.take() {
                value = Some(std::mem::replace(old, new));
            }
            true
        };
        if self.change(&mut changed, true, source) {
            return Ok(());
        }
        Err(SendError(value.expect("it was not sent")))
    }

    /// Makes this the value, also if nobody sees it, and returns the one before.
    #[track_caller]
    pub fn send_replace(&self, mut value: T) -> T {
        self.change(
            &mut |old| {
                std::mem::swap(old, &mut value);
                true
            },
            false,
            Location::caller(),
        );
        value
    }

    /// Changes the value in its place and wakes who waits for a change.
    #[track_caller]
    pub fn send_modify<F: FnOnce(&mut T)>(&self, modify: F) {
        let mut modify = Some(modify);
        self.change(
            &mut |old| {
                if let Some(modify) = modify.take() {
                    modify(old);
                }
                true
            },
            false,
            Location::caller(),
        );
    }

    /// Changes the value in its place; who waits for a change is woken if `modify` says that there is one.
    #[track_caller]
    pub fn send_if_modified<F: FnOnce(&mut T) -> bool>(&self, modify: F) -> bool {
        let mut modify = Some(modify);
        self.change(&mut |old| modify.take().is_some_and(|modify| modify(old)), false, Location::caller())
    }

    /// Whether the value was changed. With `seen` it is only if somebody can see it.
    fn change(&self, modify: &mut dyn FnMut(&mut T) -> bool, seen: bool, source: Source) -> bool {
        let versions = &self.channel.versions;
        if seen
            && versions.step(OpKind::LookAtWatch, source, |versions, step| {
                step.reads();
                versions.receivers == 0
            })
        {
            return false;
        }
        let mut value = self.channel.value.write().unwrap_or_else(PoisonError::into_inner);
        let modified = modify(&mut value);
        if modified {
            versions.step(OpKind::WatchSend, source, |versions, step| {
                step.writes();
                versions.used = true;
                step.hides();
                versions.version += 1;
                versions.changing.wake_all(step);
            });
        }
        modified
    }

    /// The value.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref { value: self.channel.read(), has_changed: false }
    }

    /// Waits until there is no receiver.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        Closed { channel: &self.channel, waiting: None, source: Location::caller() }
    }

    /// Whether there is no receiver.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.channel.look(Location::caller(), |versions| versions.receivers == 0)
    }

    /// Another receiver, which counts the present value as seen.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        self.channel.subscribe(Location::caller())
    }

    /// How many receivers there are.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.channel.look(Location::caller(), |versions| versions.receivers)
    }

    /// How many senders there are.
    #[track_caller]
    pub fn sender_count(&self) -> usize {
        self.channel.look(Location::caller(), |versions| versions.senders)
    }

    /// Whether both are of the same channel.
    pub fn same_channel(&self, other: &Sender<T>) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        // No point: who can do it has a sender, so nothing that others see depends on it.
        self.channel.versions.glued(self.source, |versions, _| {
            versions.used = true;
            versions.senders += 1;
        });
        Sender { channel: Arc::clone(&self.channel), source: self.source }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.channel.versions.step_in_drop(OpKind::WatchDropSender, self.source, |versions, step| {
            step.writes();
            versions.used = true;
            versions.senders -= 1;
            if versions.senders == 0 {
                versions.changing.wake_all(step);
            }
        });
    }
}

impl<T> Receiver<T> {
    /// The value; it is not marked as seen.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let value = self.channel.read();
        let has_changed = self.channel.version(Location::caller()) != self.seen;
        Ref { value, has_changed }
    }

    /// The value, marked as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let value = self.channel.read();
        let version = self.channel.version(Location::caller());
        let has_changed = std::mem::replace(&mut self.seen, version) != version;
        Ref { value, has_changed }
    }

    /// Whether there is a value that was not seen.
    ///
    /// # Errors
    /// If all senders are gone.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        self.channel.look(Location::caller(), |versions| {
            if versions.senders == 0 { Err(RecvError(())) } else { Ok(versions.version != self.seen) }
        })
    }

    /// Marks the value as not seen.
    pub fn mark_changed(&mut self) {
        self.seen = self.seen.wrapping_sub(1);
    }

    /// Marks the value as seen.
    #[track_caller]
    pub fn mark_unchanged(&mut self) {
        self.seen = self.channel.look(Location::caller(), |versions| versions.version);
    }

    /// Waits for a value that was not seen and marks it as seen. Dropped before it ends, it has marked nothing.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> {
        Changed { channel: &self.channel, seen: &mut self.seen, waiting: None, source: Location::caller() }
    }

    /// Waits for a value of which `f` holds; it may be the present one, seen or not.
    #[track_caller]
    pub fn wait_for(
        &mut self,
        mut f: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<'_, T>, RecvError>> {
        let source = Location::caller();
        async move {
            let Receiver { channel, seen, .. } = self;
            let mut closed = false;
            loop {
                {
                    let value = channel.value.read().unwrap_or_else(PoisonError::into_inner);
                    let version = channel.version(source);
                    let has_changed = std::mem::replace(seen, version) != version;
                    if (!closed || has_changed) && f(&value) {
                        return Ok(Ref { value, has_changed });
                    }
                }
                if closed {
                    return Err(RecvError(()));
                }
                closed = Changed { channel, seen, waiting: None, source }.await.is_err();
            }
        }
    }

    /// Whether both are of the same channel.
    pub fn same_channel(&self, other: &Receiver<T>) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Receiver<T> {
        // No point: who can do it has a receiver, so nothing that others see depends on it.
        self.channel.versions.glued(self.source, |versions, _| {
            versions.used = true;
            versions.receivers += 1;
        });
        Receiver { channel: Arc::clone(&self.channel), seen: self.seen, source: self.source }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.channel.versions.step_in_drop(OpKind::WatchDropReceiver, self.source, |versions, step| {
            step.writes();
            versions.used = true;
            versions.receivers -= 1;
            if versions.receivers == 0 {
                versions.closing.wake_all(step);
            }
        });
    }
}

struct Changed<'a, T> {
    channel: &'a Channel<T>,
    seen: &'a mut u64,
    waiting: Option<Ticket>,
    source: Source,
}

impl<T> Future for Changed<'_, T> {
    type Output = Result<(), RecvError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), RecvError>> {
        let Changed { channel, seen, waiting, source } = self.get_mut();
        channel.versions.step(OpKind::WatchChanged, source, |versions, step| {
            step.reads();
            if versions.version != **seen {
                step.tried(true);
                **seen = versions.version;
                return Poll::Ready(Ok(()));
            }
            if versions.senders == 0 {
                step.note(|| Note::Disconnected);
                return Poll::Ready(Err(RecvError(())));
            }
            step.tried(false);
            versions.changing.push_or_renew(waiting, cx.waker(), step);
            Poll::Pending
        })
    }
}

impl<T> Drop for Changed<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.waiting {
            self.channel.versions.glued_in_drop(|versions, step| {
                versions.changing.remove(ticket, step);
            });
        }
    }
}

struct Closed<'a, T> {
    channel: &'a Channel<T>,
    waiting: Option<Ticket>,
    source: Source,
}

impl<T> Future for Closed<'_, T> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Closed { channel, waiting, source } = self.get_mut();
        channel.versions.step(OpKind::WatchClosed, source, |versions, step| {
            step.reads();
            step.tried(versions.receivers == 0);
            if versions.receivers == 0 {
                return Poll::Ready(());
            }
            versions.closing.push_or_renew(waiting, cx.waker(), step);
            Poll::Pending
        })
    }
}

impl<T> Drop for Closed<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.waiting {
            self.channel.versions.glued_in_drop(|versions, step| {
                versions.closing.remove(ticket, step);
            });
        }
    }
}
