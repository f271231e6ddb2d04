//! Schedulers that users write are called from inside the engine. While they run there is no engine for our types to find,
//! and a panic of theirs does not unwind through it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use caissa_core::{Delaying, DelayingObject, TaskId, TaskSet};

use super::misuse::Misuse;
use super::{Rt, panics};

pub(crate) struct Guarded {
    pub(crate) inner: Box<dyn DelayingObject>,
    pub(crate) name: String,
    /// Where a panic is left; from then on the scheduler is not asked any more.
    pub(crate) failed: Arc<OnceLock<Misuse>>,
}

impl Guarded {
    fn call<T>(&mut self, otherwise: T, f: impl FnOnce(&mut dyn DelayingObject) -> T) -> T {
        if self.failed.get().is_some() {
            return otherwise;
        }
        let inner = self.inner.as_mut();
        match Rt::without(|| catch_unwind(AssertUnwindSafe(|| f(inner)))) {
            Ok(answer) => answer,
            Err(payload) => {
                let message = panics::message(payload.as_ref());
                let _ = self.failed.set(Misuse::SchedulerPanicked { name: self.name.clone(), message });
                otherwise
            }
        }
    }
}

impl Clone for Guarded {
    fn clone(&self) -> Guarded {
        let inner = Rt::without(|| self.inner.copy());
        Guarded { inner, name: self.name.clone(), failed: Arc::clone(&self.failed) }
    }
}

impl Delaying for Guarded {
    fn reset(&mut self) {
        self.call((), |inner| inner.reset());
    }

    fn give(&mut self, task: TaskId, fresh: bool) {
        self.call((), |inner| inner.give(task, fresh));
    }

    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        self.call(None, |inner| inner.take(enabled))
    }

    fn delay(&mut self, task: TaskId) {
        self.call((), |inner| inner.delay(task));
    }

    fn is_cyclic(&self) -> bool {
        self.inner.is_cyclic()
    }

    fn skips_blocked(&self) -> bool {
        self.inner.skips_blocked()
    }

    fn is_steady(&self) -> bool {
        self.inner.is_steady()
    }
}
