//! Delaying schedulers, the built-in ones and those of users.

use std::sync::{Arc, OnceLock};

use caissa_core::guide::{DepthFirst, RoundRobin, SkippingDepthFirst};
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

/// The names of the built-in delaying schedulers.
pub(crate) const ROUND_ROBIN: &str = "rr";
pub(crate) const DEPTH_FIRST: &str = "depth-first";
pub(crate) const PLAIN_DEPTH_FIRST: &str = "depth-first-plain";

impl Guides for Schedulers {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        Some(match spec {
            GuideSpec::NonPreemptive => Guide::NonPreemptive,
            GuideSpec::Delaying(name) => {
                let own = self.own.iter().find(|(own, _)| own == name);
                Guide::Delaying(match (own, name.as_str()) {
                    (Some((_, factory)), _) => {
                        Box::new(Guarded::new(factory(), name.clone(), Arc::clone(&self.failed)))
                    }
                    (None, ROUND_ROBIN) => Box::new(RoundRobin::default()),
                    (None, DEPTH_FIRST) => Box::new(SkippingDepthFirst::default()),
                    (None, PLAIN_DEPTH_FIRST) => Box::new(DepthFirst::default()),
                    (None, _) => return None,
                })
            }
            sampling => Guide::sampling(sampling)?,
        })
    }
}
