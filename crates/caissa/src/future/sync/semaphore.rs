//! [`Semaphore`].

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use caissa_core::{ObjectKind, OpKind};

use crate::future::permits::{Acquire, Permits};
use crate::future::shared::Shared;
use crate::rt::Source;

/// A number of permits; see tokio's `Semaphore`. Who waits longest is served first.
#[derive(Debug)]
pub struct Semaphore {
    shared: Shared<Permits>,
}

/// A semaphore was closed.
#[derive(Debug, PartialEq, Eq)]
pub struct AcquireError(());

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the semaphore is closed")
    }
}

impl std::error::Error for AcquireError {}

/// Why there was no permit at once.
#[derive(Debug, PartialEq, Eq)]
pub enum TryAcquireError {
    /// The semaphore is closed.
    Closed,
    /// There are not enough permits now.
    NoPermits,
}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TryAcquireError::Closed => "the semaphore is closed",
            TryAcquireError::NoPermits => "there are not enough permits",
        })
    }
}

impl std::error::Error for TryAcquireError {}

impl Semaphore {
    /// The most permits that a semaphore can have.
    pub const MAX_PERMITS: usize = usize::MAX >> 3;

    /// A semaphore with so many permits.
    ///
    /// # Panics
    /// If they are more than [`Semaphore::MAX_PERMITS`].
    pub const fn new(permits: usize) -> Semaphore {
        assert!(permits <= Semaphore::MAX_PERMITS, "a semaphore cannot have more than MAX_PERMITS permits");
        Semaphore { shared: Shared::new(ObjectKind::Semaphore, Permits::new(permits, false)) }
    }

    /// As [`Semaphore::new`].
    pub const fn const_new(permits: usize) -> Semaphore {
        Semaphore::new(permits)
    }

    /// How many permits are free.
    #[track_caller]
    pub fn available_permits(&self) -> usize {
        self.shared.step(OpKind::LookAtSemaphore, Location::caller(), |permits, step| {
            step.reads();
            permits.available
        })
    }

    /// Adds permits.
    ///
    /// # Panics
    /// If they become more than [`Semaphore::MAX_PERMITS`].
    #[track_caller]
    pub fn add_permits(&self, count: usize) {
        self.shared.step(OpKind::Release, Location::caller(), |permits, step| {
            assert!(
                count <= Semaphore::MAX_PERMITS - permits.available,
                "a semaphore cannot have more than MAX_PERMITS permits"
            );
            step.writes();
            permits.release(count, step);
        });
    }

    /// Takes up to `count` free permits away for ever and tells how many.
    #[track_caller]
    pub fn forget_permits(&self, count: usize) -> usize {
        self.shared.step(OpKind::ForgetPermits, Location::caller(), |permits, step| {
            step.writes();
            let taken = count.min(permits.available);
            permits.available -= taken;
            taken
        })
    }

    /// Waits for a permit.
    #[track_caller]
    pub fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        self.acquire_many(1)
    }

    /// Waits for several permits.
    #[track_caller]
    pub fn acquire_many(
        &self,
        count: u32,
    ) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> {
        let source = Location::caller();
        let acquire = self.wait(count as usize, source);
        async move {
            if !acquire.await {
                return Err(AcquireError(()));
            }
            Ok(SemaphorePermit { semaphore: self, permits: count as usize, source })
        }
    }

    /// As [`Semaphore::acquire`], with a permit that owns the semaphore.
    #[track_caller]
    pub fn acquire_owned(
        self: Arc<Semaphore>,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        self.acquire_many_owned(1)
    }

    /// As [`Semaphore::acquire_many`], with a permit that owns the semaphore.
    #[track_caller]
    pub fn acquire_many_owned(
        self: Arc<Semaphore>,
        count: u32,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> {
        let source = Location::caller();
        async move {
            if !self.wait(count as usize, source).await {
                return Err(AcquireError(()));
            }
            Ok(OwnedSemaphorePermit { semaphore: self, permits: count as usize, source })
        }
    }

    fn wait(&self, count: usize, source: Source) -> Acquire<'_, Permits> {
        Acquire::new(&self.shared, count, OpKind::Acquire, OpKind::CancelAcquire, source)
    }

    fn take(&self, count: usize, source: Source) -> Result<(), TryAcquireError> {
        self.shared.step(OpKind::TryAcquire, source, |permits, step| {
            let taken = !permits.closed && permits.try_acquire(count, step);
            step.tried(taken);
            if taken {
                step.writes();
                return Ok(());
            }
            step.reads();
            if permits.closed {
                return Err(TryAcquireError::Closed);
            }
            crate::rt::yields();
            Err(TryAcquireError::NoPermits)
        })
    }

    /// A permit, if one is free now.
    ///
    /// # Errors
    /// If none is free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire(&self) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        self.try_acquire_many(1)
    }

    /// Several permits, if so many are free now.
    ///
    /// # Errors
    /// If too few are free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_many(&self, count: u32) -> Result<SemaphorePermit<'_>, TryAcquireError> {
        let source = Location::caller();
        self.take(count as usize, source)?;
        Ok(SemaphorePermit { semaphore: self, permits: count as usize, source })
    }

    /// As [`Semaphore::try_acquire`], with a permit that owns the semaphore.
    ///
    /// # Errors
    /// If none is free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_owned(self: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        self.try_acquire_many_owned(1)
    }

    /// As [`Semaphore::try_acquire_many`], with a permit that owns the semaphore.
    ///
    /// # Errors
    /// If too few are free, or the semaphore is closed.
    #[track_caller]
    pub fn try_acquire_many_owned(
        self: Arc<Semaphore>,
        count: u32,
    ) -> Result<OwnedSemaphorePermit, TryAcquireError> {
        let source = Location::caller();
        self.take(count as usize, source)?;
        Ok(OwnedSemaphorePermit { semaphore: self, permits: count as usize, source })
    }

    /// Closes the semaphore: who waits for a permit, or will, gets an error.
    #[track_caller]
    pub fn close(&self) {
        self.shared.step(OpKind::CloseSemaphore, Location::caller(), |permits, step| {
            step.writes();
            permits.close(step);
        });
    }

    /// Whether it is closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.shared.step(OpKind::LookAtSemaphore, Location::caller(), |permits, step| {
            step.reads();
            permits.closed
        })
    }

    fn give_back(&self, count: usize, source: Source) {
        if count > 0 {
            self.shared.step_in_drop(OpKind::Release, source, |permits, step| {
                step.writes();
                permits.release(count, step);
            });
        }
    }
}

macro_rules! permit {
    ($(#[$doc:meta])* $name:ident $(<$a:lifetime>)?, $semaphore:ty) => {
        $(#[$doc])*
        #[must_use = "a permit that is dropped is given back"]
        #[derive(Debug)]
        pub struct $name $(<$a>)? {
            semaphore: $semaphore,
            permits: usize,
            source: Source,
        }

        impl $(<$a>)? $name $(<$a>)? {
            /// Does not give the permits back, ever.
            pub fn forget(mut self) {
                self.permits = 0;
            }

            /// How many permits this is.
            pub fn num_permits(&self) -> usize {
                self.permits
            }

            /// Takes `n` permits out of this one, if it has so many.
            pub fn split(&mut self, n: usize) -> Option<Self> {
                self.permits = self.permits.checked_sub(n)?;
                Some($name { semaphore: self.semaphore.clone(), permits: n, source: self.source })
            }

            /// Makes one of two.
            ///
            /// # Panics
            /// If they are of different semaphores.
            #[track_caller]
            pub fn merge(&mut self, mut other: Self) {
                let (own, others): (&Semaphore, &Semaphore) = (&self.semaphore, &other.semaphore);
                assert!(std::ptr::eq(own, others), "the permits are of different semaphores");
                self.permits += std::mem::take(&mut other.permits);
            }
        }

        impl $(<$a>)? Drop for $name $(<$a>)? {
            fn drop(&mut self) {
                self.semaphore.give_back(self.permits, self.source);
            }
        }
    };
}

permit! {
    /// Permits of a [`Semaphore`], given back when dropped.
    SemaphorePermit<'a>, &'a Semaphore
}
permit! {
    /// Permits that own their [`Semaphore`], given back when dropped.
    OwnedSemaphorePermit, Arc<Semaphore>
}

impl OwnedSemaphorePermit {
    /// The semaphore.
    pub fn semaphore(&self) -> &Arc<Semaphore> {
        &self.semaphore
    }
}
