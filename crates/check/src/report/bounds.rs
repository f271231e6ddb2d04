//! The figures of a search: a line for each bound, and one for each kind of samples.

use std::fmt;

use caissa_core::{Cost, GuideSpec};
use caissa_search::{BoundSummary, Finder};

use super::{Report, count};
use crate::settings::Search;

impl Report {
    /// One line for each bound.
    pub(super) fn write_bounds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for bound in &self.summary.bounds {
            let what = match self.search {
                Search::Dfs => "every schedule".to_owned(),
                Search::Auto if self.within.is_some() => "within these rounds".to_owned(),
                Search::Auto if self.of_states => "every schedule, breadth first".to_owned(),
                _ => format!("{} {}", bound.bound, self.cost.unit(bound.bound)),
            };
            self.write_bound(f, &what, (self.cost, None), bound)?;
        }
        for side in &self.summary.sides {
            for bound in &side.bounds {
                let what = match &side.scheduler {
                    Some(scheduler) => {
                        format!("also {} {} ({scheduler})", bound.bound, side.cost.unit(bound.bound))
                    }
                    None => "also every schedule, depth first".to_owned(),
                };
                self.write_bound(f, &what, (side.cost, side.scheduler.as_deref()), bound)?;
            }
        }
        for sampled in &self.summary.samples {
            write!(f, "  sampled by {}: {}", sampled.policy, count(sampled.executions, "execution"))?;
            write_new(f, sampled.new_classes, "class", "classes")?;
            write_new(f, sampled.new_states, "state", "states")?;
            if sampled.step_limited > 0 {
                write!(f, ", {} cut off at {}", sampled.step_limited, self.words.option("max_steps"))?;
            }
            writeln!(f)?;
        }
        if let (Search::Auto, Some((finder, _))) = (self.search, &self.summary.failure) {
            match finder {
                Finder::Bounded { cost: Cost::Preemptions, .. } => {}
                Finder::Bounded { cost: Cost::Delays, .. } => {
                    writeln!(f, "The bug was found by delay bounds.")?
                }
                Finder::Bounded { .. } => writeln!(f, "The bug was found depth first.")?,
                Finder::Sampled(policy) => writeln!(f, "The bug was found by samples of {policy}.")?,
            }
        }
        if self.summary.failures > 1 {
            writeln!(f, "{} failed; the first one is shown.", count(self.summary.failures, "execution"))?;
        }
        Ok(())
    }

    /// Whether this is the bound at which the search stopped because of the bug. `scheduler`: that of a side part.
    fn stopped_in(&self, cost: Cost, scheduler: Option<&str>, bound: u32) -> bool {
        let Some((finder, failure)) = &self.summary.failure else { return false };
        let of_part = match (&failure.guide, scheduler) {
            (GuideSpec::Delaying(name), Some(scheduler)) => name == scheduler,
            _ => scheduler.is_none(),
        };
        *finder == Finder::Bounded { cost, bound } && of_part && self.finding.is_some() && !self.keep_going
    }

    fn write_bound(
        &self,
        f: &mut fmt::Formatter<'_>,
        what: &str,
        (cost, scheduler): (Cost, Option<&str>),
        bound: &BoundSummary,
    ) -> fmt::Result {
        if self.of_states {
            write!(f, "  {what}: {}", count(bound.new_states, "new state"))?;
        } else {
            write!(f, "  {what}: {}", count(bound.executions, "execution"))?;
            write_new(f, bound.new_classes, "class", "classes")?;
            write_new(f, bound.new_states, "state", "states")?;
        }
        if bound.cut > 0 {
            write!(f, ", {} cut at the bound", bound.cut)?;
        }
        if bound.pruned > 0 {
            write!(f, ", {} discarded by the scheduler", bound.pruned)?;
        }
        if bound.discarded > 0 {
            write!(f, ", {} discarded by the program", bound.discarded)?;
        }
        if bound.step_limited > 0 {
            write!(f, ", {} cut off at {}", bound.step_limited, self.words.option("max_steps"))?;
        }
        let stopped = if self.stopped_in(cost, scheduler, bound.bound) {
            " (stopped at the bug)"
        } else {
            " (not all)"
        };
        writeln!(f, "{}", if bound.complete { "" } else { stopped })
    }
}

fn write_new(f: &mut fmt::Formatter<'_>, new: u64, one: &str, many: &str) -> fmt::Result {
    match new {
        0 => Ok(()),
        1 => write!(f, ", 1 new {one}"),
        _ => write!(f, ", {new} new {many}"),
    }
}
