//! Drop-in replacements for [`std::sync`].
//!
//! Inside a check every operation is a scheduling point; outside they behave as std's. [`Arc`] and [`Weak`] are std's own.

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod poison;
mod rwlock;
mod traits;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
