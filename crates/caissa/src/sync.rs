//! Drop-in replacements for [`std::sync`].
//!
//! Inside a check every operation is a scheduling point; outside they behave as std's. [`Arc`] and [`Weak`] are std's own.

pub mod atomic;
mod barrier;
mod condvar;
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod once;
mod once_lock;
mod poison;
mod rwlock;
mod traits;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
#[allow(deprecated)]
pub use once::ONCE_INIT;
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
