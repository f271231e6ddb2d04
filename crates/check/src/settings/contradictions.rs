//! Settings that make no sense, or contradict each other, are refused with a reason.

use std::time::Duration;

use caissa_core::guide::PLAIN_DEPTH_FIRST;

use super::{Error, Points, Search, Settings, setting};
use crate::report::file;

impl Settings {
    /// Refuses settings that would make the check say nothing, or leave no trace where one is wanted. Which delaying schedulers
    /// there are is for the front end to say.
    ///
    /// # Errors
    /// With the first that would.
    pub fn validate(&self) -> Result<(), Error> {
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
        if self.points == Points::Racy && !self.races {
            let expected = "`sync` or `all` while `races` is off: nothing would be found to make a point of";
            return Err(setting("points", "racy", expected));
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
        self.trace_file.as_deref().map_or(Ok(()), file::expect_writable)
    }
}
