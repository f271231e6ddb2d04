//! Delaying schedulers, the built-in ones and those of users.

use std::sync::{Arc, OnceLock};

use caissa_core::{DelayingObject, Guide, GuideSpec, Guides};

use super::guarded::Guarded;
use super::misuse::Misuse;

/// Makes a delaying scheduler.
pub(crate) type SchedulerFactory = Arc<dyn Fn() -> Box<dyn DelayingObject> + Send + Sync>;

/// Delaying schedulers by name.
#[derive(Clone, Default)]
pub(crate) struct Schedulers {
    pub(crate) own: Vec<(String, SchedulerFactory)>,
    /// A scheduler has panicked.
    pub(super) failed: Arc<OnceLock<Misuse>>,
}

impl Guides for Schedulers {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        if let GuideSpec::Delaying(name) = spec
            && let Some((_, factory)) = self.own.iter().find(|(own, _)| own == name)
        {
            let scheduler = Guarded::new(factory(), name.clone(), Arc::clone(&self.failed));
            return Some(Guide::Delaying(Box::new(scheduler)));
        }
        Guide::built_in(spec)
    }
}
