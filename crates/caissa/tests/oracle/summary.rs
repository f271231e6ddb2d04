//! Counts, outcomes and classes per cost, for every measure of cost.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::{Class, Classifier};
use super::delays::{Tally, explore_delays};
use super::explore::{Bound, Execution, LimitExceeded, explore_within};
use super::interpret::Outcome;
use super::program::{Program, Task};
use super::schedulers::{DepthFirst, RoundRobin, SkippingDepthFirst};

/// What an execution's cost is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    Preemptions,
    Contexts,
    /// Delays of the scheduler of that name; so are the next two.
    RoundRobin,
    DepthFirst,
    SkippingDepthFirst,
}

impl Measure {
    pub const ALL: [Measure; 5] = [
        Measure::Preemptions,
        Measure::Contexts,
        Measure::RoundRobin,
        Measure::DepthFirst,
        Measure::SkippingDepthFirst,
    ];

    /// The execution's cost. The execution must come from an exploration by this measure.
    fn of(self, execution: &Execution) -> usize {
        match self {
            Measure::Preemptions => execution.cost.preemptions,
            Measure::Contexts => execution.cost.contexts,
            _ => execution.delays.expect("explored by delays"),
        }
    }
}

/// Visits once every execution of cost at most `bound`, together with its cost. `usize::MAX` bounds
/// nothing.
pub fn visit_within(
    program: &Program,
    measure: Measure,
    bound: usize,
    limit: u64,
    mut visit: impl FnMut(usize, &Execution),
) -> Result<Tally, LimitExceeded> {
    let visit = |execution: &Execution| visit(measure.of(execution), execution);
    let undelayed = |executions| Tally { executions, discarded: 0 };
    match measure {
        Measure::Preemptions => {
            explore_within(program, Bound::Preemptions(bound), limit, visit).map(undelayed)
        }
        Measure::Contexts => explore_within(program, Bound::Contexts(bound), limit, visit).map(undelayed),
        Measure::RoundRobin => explore_delays(program, RoundRobin::default(), bound, limit, visit),
        Measure::DepthFirst => explore_delays(program, DepthFirst::default(), bound, limit, visit),
        Measure::SkippingDepthFirst => {
            explore_delays(program, SkippingDepthFirst::default(), bound, limit, visit)
        }
    }
}

/// Everything within a bound, by cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of executions of exactly each cost, up to the greatest cost met.
    pub counts: Vec<u64>,
    /// Each outcome with the least cost of an execution that has it.
    pub outcomes: BTreeMap<Outcome, usize>,
    /// Each class with the least cost of an execution of it.
    pub classes: BTreeMap<Class, usize>,
    /// Executions given up; see `Tally`.
    pub discarded: u64,
}

impl Summary {
    /// The number of executions of cost at most `bound`.
    pub fn executions_within(&self, bound: usize) -> u64 {
        self.counts.iter().take(bound.saturating_add(1)).sum()
    }

    pub fn outcomes_within(&self, bound: usize) -> BTreeSet<&Outcome> {
        keys_within(&self.outcomes, bound)
    }

    pub fn classes_within(&self, bound: usize) -> BTreeSet<&Class> {
        keys_within(&self.classes, bound)
    }
}

fn keys_within<K: Ord>(least: &BTreeMap<K, usize>, bound: usize) -> BTreeSet<&K> {
    let within = least.iter().filter(|(_, cost)| **cost <= bound);
    within.map(|(key, _)| key).collect()
}

pub fn summarize(
    program: &Program,
    measure: Measure,
    bound: usize,
    limit: u64,
) -> Result<Summary, LimitExceeded> {
    let mut summary = Summary::default();
    let mut classifier = Classifier::new(program.tasks.len());
    let tally = visit_within(program, measure, bound, limit, |cost, execution| {
        if summary.counts.len() <= cost {
            summary.counts.resize(cost + 1, 0);
        }
        summary.counts[cost] += 1;
        keep_least(&mut summary.outcomes, execution.outcome, cost);
        let class = classifier.classify(execution.steps);
        keep_least(&mut summary.classes, class, cost);
    })?;
    summary.discarded = tally.discarded;
    Ok(summary)
}

fn keep_least<K: Ord + Clone>(least: &mut BTreeMap<K, usize>, key: &K, cost: usize) {
    match least.get_mut(key) {
        Some(known) => *known = cost.min(*known),
        None => {
            least.insert(key.clone(), cost);
        }
    }
}

/// Each schedule within the bound, with its cost.
pub fn schedules_within(
    program: &Program,
    measure: Measure,
    bound: usize,
    limit: u64,
) -> Result<BTreeMap<Vec<Task>, usize>, LimitExceeded> {
    let mut schedules = BTreeMap::new();
    visit_within(program, measure, bound, limit, |cost, execution| {
        let before = schedules.insert(execution.schedule(), cost);
        assert_eq!(before, None, "a schedule was visited twice");
    })?;
    Ok(schedules)
}
