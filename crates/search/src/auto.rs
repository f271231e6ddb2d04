//! `auto`: a mix of searches, divided by executions and not by time, so that a seed fixes the run.
//!
//! No one policy finds everything. A study of 49 programs at 100,000 schedules (Thomson, Donaldson, Betts, PPoPP 2014 and
//! its sequel) found most bugs with PCT, then iterative delay bounding, random walks, iterative preemption bounding and
//! depth-first search, and none of them covered all the others. The mix leads with preemption bounds, which prove
//! something about every schedule within them, and gives the rest half of all executions once a program is not small.

use caissa_core::{AtCut, Cost, GuideSpec};

use crate::bounded::Bounds;
use crate::sampling::{Policy, Samples};

/// Executions of the leading part, preemption bounds, in one turn. Programs that need no more are searched as by that part
/// alone.
const LEAD: u64 = 1_000;

/// A turn of the leading part takes no more than this part of a budget: the others have as much as it has, and the last of
/// a turn's jobs may bring more than was left of it.
const OF_BUDGET: u64 = 4;

/// The shares are counted in so many parts of what the leading part has had.
const LEAD_SHARE: u64 = 16;

/// What each delaying scheduler has, in parts of [`LEAD_SHARE`].
const DELAYS_SHARE: u64 = 4;

/// What the unbounded depth-first part has.
const UNBOUNDED_SHARE: u64 = 4;

/// What each sampling policy has.
const SAMPLING_SHARE: u64 = 1;

/// A part of a mix: what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ingredient {
    /// A bounded search.
    Bounded(Bounds),
    /// A sampling search.
    Sampling(Samples),
}

/// The parts of `auto` with the executions of each in a round: preemption bounds first, up to `max_bound` like the delay
/// bounds by these schedulers; then a depth-first part without bound and one part for each policy. `budget`: all of them
/// together have no more executions than this, so that rounds have to be short enough.
pub fn auto(
    max_bound: Option<u32>,
    schedulers: &[&str],
    seed: u64,
    depth: u32,
    budget: Option<u64>,
) -> Vec<(Ingredient, u64)> {
    let lead = budget.map_or(LEAD, |budget| (budget / OF_BUDGET).clamp(1, LEAD));
    let bounded =
        |cost, guide, max_bound| Ingredient::Bounded(Bounds { cost, guide, max_bound, at_cut: AtCut::Stop });
    let mut parts = vec![(bounded(Cost::Preemptions, GuideSpec::NonPreemptive, max_bound), LEAD_SHARE)];
    for &name in schedulers {
        let guide = GuideSpec::Delaying(name.to_owned());
        parts.push((bounded(Cost::Delays, guide, max_bound), DELAYS_SHARE));
    }
    parts.push((bounded(Cost::Free, GuideSpec::NonPreemptive, None), UNBOUNDED_SHARE));
    for policy in [Policy::Pct, Policy::Pos, Policy::Surw, Policy::Random] {
        parts.push((Ingredient::Sampling(Samples { policy, seed, depth }), SAMPLING_SHARE));
    }
    parts.into_iter().map(|(part, share)| (part, (lead * share).div_ceil(LEAD_SHARE))).collect()
}
