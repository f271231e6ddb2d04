//! What a search can say: its figures and its verdict.

use caissa_core::{Cost, Ending, Failure};

use crate::checkpoint::{Reader, Writer};
use crate::{Policy, Stopped};

/// What a search can say when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every schedule was explored.
    Verified,
    /// Every schedule within the bound was explored.
    Bounded,
    /// The search ended early, or some execution could not be followed to its end.
    Incomplete,
    /// A bug was found.
    Bug,
    /// The program does not behave the same way under the same schedule.
    Diverged,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Bounded => "bounded",
            Verdict::Incomplete => "incomplete",
            Verdict::Bug => "bug",
            Verdict::Diverged => "diverged",
        }
    }
}

/// The figures of one bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundSummary {
    /// The bound: executions of exactly this cost.
    pub bound: u32,
    /// Executions.
    pub executions: u64,
    /// Executions that were cut because every way on cost something.
    pub cut: u64,
    /// Executions that the scheduler discarded.
    pub pruned: u64,
    /// Executions that the program itself discarded.
    pub discarded: u64,
    /// Executions that met the limit of steps.
    pub step_limited: u64,
    /// Executions that came to a prefix of a class that had been explored, if equivalent ones are left out.
    pub redundant: u64,
    /// Classes that no smaller bound had shown, if classes are counted.
    pub new_classes: u64,
    /// States that nothing before had shown, if the program shows its states.
    pub new_states: u64,
    /// Whether every execution of this cost was run.
    pub complete: bool,
}

impl BoundSummary {
    /// Whether every execution of this cost was run, and to its end.
    pub fn is_exhaustive(&self) -> bool {
        self.complete && self.step_limited == 0 && self.pruned == 0
    }
}

/// The figures of a bounded part that does not lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What a choice costs.
    pub cost: Cost,
    /// The delaying scheduler, if there is one.
    pub scheduler: Option<String>,
    /// By bound, ascending.
    pub bounds: Vec<BoundSummary>,
}

/// The figures of a sampling part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// How executions were drawn.
    pub policy: Policy,
    /// Executions.
    pub executions: u64,
    /// Executions that met the limit of steps.
    pub step_limited: u64,
    /// Classes that nothing before had shown, if classes are counted.
    pub new_classes: u64,
    /// States that nothing before had shown, if the program shows its states.
    pub new_states: u64,
}

impl Sampled {
    pub(crate) fn new(policy: Policy) -> Sampled {
        Sampled { policy, executions: 0, step_limited: 0, new_classes: 0, new_states: 0 }
    }
}

/// What found a failing execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finder {
    /// A bounded part.
    Bounded {
        /// What a choice costs there.
        cost: Cost,
        /// The bound at which it was.
        bound: u32,
    },
    /// A sampling part.
    Sampled(Policy),
}

const COSTS: [Cost; 5] = [Cost::Preemptions, Cost::Delays, Cost::Contexts, Cost::Depth, Cost::Free];

impl Finder {
    pub(crate) fn save(&self, to: &mut Writer) {
        match self {
            Finder::Bounded { cost, bound } => {
                to.flag(true);
                to.count(COSTS.iter().position(|other| other == cost).expect("every cost is listed"));
                to.number(*bound as u64);
            }
            Finder::Sampled(policy) => {
                to.flag(false);
                to.text(policy.name());
            }
        }
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Option<Finder> {
        Some(if from.flag()? {
            Finder::Bounded { cost: *COSTS.get(from.number()? as usize)?, bound: from.small()? }
        } else {
            Finder::Sampled(from.text()?.parse().ok()?)
        })
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The bound at which the leading part is, if it has bounds.
    pub bound: Option<u32>,
    /// About how much of that bound is done, if that can be said.
    pub share_done: Option<f64>,
    /// Executions so far, without those of jobs that are being run.
    pub executions: u64,
    /// About how many bytes of memory the search takes.
    pub memory: u64,
}

/// The figures of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By bound, ascending; of the part that leads. Empty if that is a sampling one.
    pub bounds: Vec<BoundSummary>,
    /// Other bounded parts that had a turn.
    pub sides: Vec<Side>,
    /// Sampling parts that had a turn.
    pub samples: Vec<Sampled>,
    /// Whether a part has explored every schedule.
    pub covered: bool,
    /// Steps of all executions together.
    pub steps: u64,
    /// Steps of the longest execution.
    pub longest: u32,
    /// Whether some task has yielded, so that fairness has ruled schedules out, if it was on.
    pub yields: bool,
    /// Whether some execution would need more than the largest bound.
    pub more: bool,
    /// Whether the scheduler leads to some schedules at no bound.
    pub unreachable: bool,
    /// Why the search ended early, if it did.
    pub stopped: Option<Stopped>,
    /// The first failing execution and what found it.
    pub failure: Option<(Finder, Failure)>,
    /// Failing executions; more than one only if the search went on after the first.
    pub failures: u64,
    /// Records on the frontier, and their bytes.
    pub frontier: (usize, usize),
}

impl Summary {
    fn all_bounds(&self) -> impl Iterator<Item = &BoundSummary> {
        self.bounds.iter().chain(self.sides.iter().flat_map(|side| &side.bounds))
    }

    /// Executions of all bounds and parts.
    pub fn executions(&self) -> u64 {
        let sampled: u64 = self.samples.iter().map(|sampled| sampled.executions).sum();
        self.all_bounds().map(|bound| bound.executions).sum::<u64>() + sampled
    }

    /// Classes seen in all bounds and parts.
    pub fn classes(&self) -> u64 {
        let sampled: u64 = self.samples.iter().map(|sampled| sampled.new_classes).sum();
        self.all_bounds().map(|bound| bound.new_classes).sum::<u64>() + sampled
    }

    /// States seen in all bounds and parts.
    pub fn states(&self) -> u64 {
        let sampled: u64 = self.samples.iter().map(|sampled| sampled.new_states).sum();
        self.all_bounds().map(|bound| bound.new_states).sum::<u64>() + sampled
    }

    /// Executions of the leading part that met the limit of steps.
    pub fn step_limited(&self) -> u64 {
        let sampled =
            self.samples.iter().filter(|_| self.bounds.is_empty()).map(|sampled| sampled.step_limited);
        self.bounds.iter().map(|bound| bound.step_limited).chain(sampled).sum()
    }

    /// Whether executions were run, and none came to its end, by the limit of steps or within the bound: nothing is known of how
    /// the program ends.
    pub fn none_has_ended(&self) -> bool {
        if self.executions() == 0 {
            return self.all_bounds().any(|bound| bound.cut > 0);
        }
        let bounds = self.all_bounds().map(|bound| (bound.executions, bound.step_limited));
        let samples = self.samples.iter().map(|sampled| (sampled.executions, sampled.step_limited));
        bounds.chain(samples).all(|(all, limited)| all == limited)
    }

    /// The largest bound that was explored completely.
    pub fn complete_bound(&self) -> Option<u32> {
        self.bounds.iter().take_while(|bound| bound.complete).last().map(|bound| bound.bound)
    }

    /// What can be concluded, before findings are confirmed.
    pub fn verdict(&self) -> Verdict {
        let pruned = self.bounds.iter().any(|bound| bound.pruned > 0);
        match &self.failure {
            Some((_, failure)) if failure.ending == Ending::Diverged => Verdict::Diverged,
            Some(_) => Verdict::Bug,
            None if self.covered => Verdict::Verified,
            None if self.bounds.is_empty() => Verdict::Incomplete,
            None if self.stopped.is_some() || self.step_limited() > 0 => Verdict::Incomplete,
            None if self.more || pruned || self.unreachable => Verdict::Bounded,
            None => Verdict::Verified,
        }
    }
}
