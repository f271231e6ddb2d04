//! Locks, channels and other things that async tasks wait for, shaped like those of `tokio::sync`.
//!
//! Each operation is one scheduling point, takes effect at once, and wakes whom it wakes in the same step. Where a future has
//! to wait it comes to wait in one step, and is polled again when it was woken; a lock, permit or notification that it is
//! given then is its own from that moment, also before it is polled. Queues are served in the order of arrival, as tokio's are.
//!
//! They also work outside a check, between threads.

mod barrier;
pub mod broadcast;
pub mod mpsc;
mod mutex;
mod notify;
mod once_cell;
pub mod oneshot;
mod rwlock;
mod semaphore;
pub mod watch;

pub use barrier::{Barrier, BarrierWaitResult};
pub use mutex::{Mutex, MutexGuard, OwnedMutexGuard, TryLockError};
pub use notify::{Notified, Notify};
pub use once_cell::{OnceCell, SetError};
pub use rwlock::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{AcquireError, OwnedSemaphorePermit, Semaphore, SemaphorePermit, TryAcquireError};

/// `Debug` that shows nothing of what is inside.
macro_rules! opaque_debug {
    ($($name:ident $(<$($p:ident $(: $bound:tt $what:ident)?),*>)?),* $(,)?) => {$(
        impl$(<$($p $(: $bound $what)?),*>)? std::fmt::Debug for $name$(<$($p),*>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}
use opaque_debug;
