//! Settings that make no sense, or contradict each other, are refused with a reason.

use std::time::Duration;

use caissa_core::Guides;

use super::{Builder, Error, Points, Search, setting};
use crate::rt::schedulers::{DEPTH_FIRST, PLAIN_DEPTH_FIRST, ROUND_ROBIN};
use crate::rt::sealing::{Seals, setting_of};

impl Builder {
    /// Refuses settings that would make the check say nothing.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let at_least_1 = "at least 1: with 0 nothing would be run, and nothing would be found";
        let zeros = [
            ("max_executions", self.max_executions == Some(0)),
            ("max_steps", self.max_steps == 0),
            ("memory", self.memory == Some(0)),
            ("workers", self.workers == 0),
        ];
        for (name, zero) in zeros {
            if zero {
                return Err(setting(name, "0", at_least_1));
            }
        }
        if self.time == Some(Duration::ZERO) {
            return Err(setting("time", "0", "more than 0 seconds: with 0 nothing would be run"));
        }
        if self.pct_depth == 0 {
            return Err(setting("pct_depth", "0", "at least 1"));
        }
        if self.watchdog < Duration::from_millis(100) {
            let value = format!("{:?}", self.watchdog);
            return Err(setting(
                "watchdog",
                &value,
                "at least 0.1 seconds, or healthy tasks are taken for stuck ones",
            ));
        }
        if self.points == Points::Racy && !self.races {
            let expected = "`sync` or `all` while `races` is off: nothing would be found to make a point of";
            return Err(setting("points", "racy", expected));
        }
        if self.points != Points::Sync && self.reference_points {
            return Err(setting("points", self.points.name(), "`sync` with reference points"));
        }
        if self.stack_size < 16 << 10 {
            return Err(setting("stack_size", &self.stack_size.to_string(), "at least 16384 bytes"));
        }
        if self.workers > 256 {
            return Err(setting("workers", &self.workers.to_string(), "at most 256"));
        }
        if self.fair_k == Some(0) {
            return Err(setting("fair_k", "0", "at least 1; to have no fairness set `fair` to off"));
        }
        if self.fair == Some(false)
            && let Some(k) = self.fair_k
        {
            return Err(setting(
                "fair_k",
                &k.to_string(),
                "left out where `fair` is off: no yield counts then",
            ));
        }
        let wants_fairness = self.fair == Some(true) || self.fair_k.is_some();
        if self.search == Search::Delays && self.scheduler == PLAIN_DEPTH_FIRST && wants_fairness {
            let expected = "off with the scheduler `depth-first-plain`, which passes over nobody: it would discard every execution \
                            in which a task that has to let others run comes up. `depth-first` passes over them";
            return Err(setting("fair", "on", expected));
        }
        if self.reduce && !matches!(self.search, Search::Auto | Search::Preemptions | Search::Dfs) {
            let expected = "off: equivalent executions are known for the searches `preemptions` and `dfs`, and these in `auto`";
            return Err(setting("reduce", "on", expected));
        }
        if self.reduce && !(self.no_preempt.is_empty() && self.preempt_only.is_empty()) {
            let expected = "off where `no_preempt` or `preempt_only` is set: of equivalent executions it leaves out all but one, \
                            which may be the one that is sealed";
            return Err(setting("reduce", "on", expected));
        }
        if self.search == Search::Delays && self.schedulers.make(&self.guide()).is_none() {
            let mut known = vec![ROUND_ROBIN, DEPTH_FIRST, PLAIN_DEPTH_FIRST];
            known.extend(self.schedulers.own.iter().map(|(name, _)| name.as_str()));
            let expected = format!("one of {}, or be registered with `register_scheduler`", known.join(", "));
            return Err(setting("scheduler", &self.scheduler, &expected));
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
