//! What a worker and whoever looks after it tell each other while it works.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use caissa_core::Failure;

/// Shared by one worker and whoever looks after it. The subject counts its executions here, hands back its job soon after it was
/// asked to stop, and leaves executions here that were cut off.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Changed by the worker only.
    executions: AtomicU64,
    stop: AtomicBool,
    cut_off: Mutex<Option<Failure>>,
}

impl Pulse {
    /// An execution of the search has run; second looks at one do not count.
    #[inline]
    pub fn count(&self) {
        self.executions.store(self.executions() + 1, Ordering::Relaxed);
    }

    /// Executions of the search so far.
    #[inline]
    pub fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }

    /// The worker is to hand back its job after the present execution.
    pub fn ask_to_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it is.
    #[inline]
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An execution was cut off at the limit of steps and shows no bug: one of those is shown, if no bug is found. That is the one that is
    /// shown best, whoever comes first: samples follow long schedules.
    pub fn keep_cut_off(&self, failure: Failure) {
        let mut kept = self.cut_off.lock().unwrap_or_else(PoisonError::into_inner);
        let size = |failure: &Failure| (failure.guide.seed(), failure.choices.len());
        let choices = |failure: &Failure| -> Vec<(u32, u32)> {
            failure.choices.iter().map(|choice| (choice.step, choice.pick)).collect()
        };
        let is_smaller = |kept: &Failure| {
            size(&failure).cmp(&size(kept)).then_with(|| choices(&failure).cmp(&choices(kept))).is_lt()
        };
        if kept.as_ref().is_none_or(is_smaller) {
            *kept = Some(failure);
        }
    }

    /// The execution that was kept.
    pub fn take_cut_off(&self) -> Option<Failure> {
        self.cut_off.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
