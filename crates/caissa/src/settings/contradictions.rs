//! Settings that make no sense, or contradict each other, are refused with a reason.

use std::time::Duration;

use caissa_core::Guides;
use caissa_core::guide::{DEPTH_FIRST, PLAIN_DEPTH_FIRST, ROUND_ROBIN};

use super::{Builder, Error, Points, Search, setting};
use crate::rt::sealing::{Seals, setting_of};

impl Builder {
    /// Refuses settings that would make the check say nothing.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let given = &self.settings;
        given.validate()?;
        if self.watchdog < Duration::from_millis(100) {
            let value = format!("{:?}", self.watchdog);
            return Err(setting(
                "watchdog",
                &value,
                "at least 0.1 seconds, or healthy tasks are taken for stuck ones",
            ));
        }
        if given.points != Points::Sync && self.reference_points {
            return Err(setting("points", given.points.name(), "`sync` with reference points"));
        }
        if self.stack_size < 16 << 10 {
            return Err(setting("stack_size", &self.stack_size.to_string(), "at least 16384 bytes"));
        }
        if given.reduce && !(self.no_preempt.is_empty() && self.preempt_only.is_empty()) {
            let expected = "off where `no_preempt` or `preempt_only` is set: of equivalent executions it leaves out all but one, \
                            which may be the one that is sealed";
            return Err(setting("reduce", "on", expected));
        }
        if given.search == Search::Delays && self.schedulers.make(&given.guide()).is_none() {
            let mut known = vec![ROUND_ROBIN, DEPTH_FIRST, PLAIN_DEPTH_FIRST];
            known.extend(self.schedulers.own.iter().map(|(name, _)| name.as_str()));
            let expected = format!("one of {}, or be registered with `register_scheduler`", known.join(", "));
            return Err(setting("scheduler", &given.scheduler, &expected));
        }
        Ok(())
    }

    /// What is sealed by name.
    pub(crate) fn seals(&self) -> Result<Seals, Error> {
        Seals::new(&self.no_preempt, &self.preempt_only).map_err(|(scope, path)| {
            let expected = "the path of a function, type, trait or module, beginning with its crate, such as `my_crate::queue`";
            setting(setting_of(scope), &path, expected)
        })
    }
}
