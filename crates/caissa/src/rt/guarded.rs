//! Schedulers that users write are called from inside the engine. While they run there is no engine for our types to find,
//! and a panic of theirs does not unwind through it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use caissa_core::{Delaying, DelayingObject, TaskId, TaskSet};

use super::misuse::Misuse;
use super::{Rt, panics};

pub(crate) struct Guarded {
    /// Set until it is dropped.
    inner: Option<Box<dyn DelayingObject>>,
    name: String,
    /// Where a panic is left; from then on the scheduler is not asked any more.
    failed: Arc<OnceLock<Misuse>>,
    is_cyclic: bool,
    skips_blocked: bool,
}

impl Guarded {
    pub(crate) fn new(
        inner: Box<dyn DelayingObject>,
        name: String,
        failed: Arc<OnceLock<Misuse>>,
    ) -> Guarded {
        let mut guarded = Guarded { inner: Some(inner), name, failed, is_cyclic: false, skips_blocked: true };
        (guarded.is_cyclic, guarded.skips_blocked) =
            guarded.call((false, true), |inner| (inner.is_cyclic(), inner.skips_blocked()));
        guarded
    }

    fn call<T>(&self, otherwise: T, f: impl FnOnce(&dyn DelayingObject) -> T) -> T {
        match &self.inner {
            Some(inner) => self.guard(|| f(inner.as_ref())).unwrap_or(otherwise),
            None => otherwise,
        }
    }

    fn call_mut<T>(&mut self, otherwise: T, f: impl FnOnce(&mut dyn DelayingObject) -> T) -> T {
        let Some(mut inner) = self.inner.take() else { return otherwise };
        let answer = self.guard(|| f(inner.as_mut()));
        self.inner = Some(inner);
        answer.unwrap_or(otherwise)
    }

    fn guard<T>(&self, f: impl FnOnce() -> T) -> Option<T> {
        if self.failed.get().is_some() {
            return None;
        }
        Rt::without(|| catch_unwind(AssertUnwindSafe(f)))
            .map_err(|payload| {
                let message = panics::message(payload.as_ref());
                let _ = self.failed.set(Misuse::SchedulerPanicked { name: self.name.clone(), message });
            })
            .ok()
    }
}

impl Clone for Guarded {
    fn clone(&self) -> Guarded {
        Guarded {
            inner: self.call(None, |inner| Some(inner.copy())),
            name: self.name.clone(),
            failed: Arc::clone(&self.failed),
            is_cyclic: self.is_cyclic,
            skips_blocked: self.skips_blocked,
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let inner = self.inner.take();
        self.guard(|| drop(inner));
    }
}

impl Delaying for Guarded {
    fn reset(&mut self) {
        self.call_mut((), |inner| inner.reset());
    }

    fn give(&mut self, task: TaskId, fresh: bool) {
        self.call_mut((), |inner| inner.give(task, fresh));
    }

    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        self.call_mut(None, |inner| inner.take(enabled))
    }

    fn delay(&mut self, task: TaskId) {
        self.call_mut((), |inner| inner.delay(task));
    }

    fn is_cyclic(&self) -> bool {
        self.is_cyclic
    }

    fn skips_blocked(&self) -> bool {
        self.skips_blocked
    }

    fn is_steady(&self) -> bool {
        self.call(false, |inner| inner.is_steady())
    }
}
