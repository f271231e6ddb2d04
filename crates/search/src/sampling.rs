//! Sampling: executions drawn at random by one of several policies.
//!
//! Samples are numbered, and the seed of each follows from the search's seed and its number, so that it does not matter which
//! worker runs which. What a policy needs to know of the program is measured on samples that come before: the first
//! sample of PCT and SURW is a random walk, and PCT's estimate of the number of steps is the longest execution among all
//! samples of the rounds before.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use caissa_core::guide::Profile;
use caissa_core::{AtCut, Cost, GuideSpec, Job, Limit, Outcome, Scope};

use crate::checkpoint::{Reader, Writer};
use crate::coverage::Coverage;
use crate::part::{Committed, Need};
use crate::window::{Learned, Window, Work, used};
use crate::{JobId, Sampled, Settings};

/// How executions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Every enabled task is as likely as any other.
    Random,
    /// Random priorities that change at random steps.
    Pct,
    /// A random priority for each operation.
    Pos,
    /// Uniform over the interleavings of the operations on one object.
    Surw,
}

impl Policy {
    /// Every policy with its name.
    pub const ALL: [(&'static str, Policy); 4] =
        [("random", Policy::Random), ("pct", Policy::Pct), ("pos", Policy::Pos), ("surw", Policy::Surw)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Policy::ALL.iter().find(|(_, policy)| *policy == self).expect("every policy is listed").0
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = ();
    fn from_str(text: &str) -> Result<Policy, ()> {
        Policy::ALL.iter().find(|(name, _)| *name == text).map(|&(_, policy)| policy).ok_or(())
    }
}

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Samples {
    /// How.
    pub policy: Policy,
    /// From which seed.
    pub seed: u64,
    /// The depth of the bugs that PCT is to hit.
    pub depth: u32,
}

/// PCT measures the number of steps again whenever it has so many times as many samples.
const ROUND_GROWTH: u64 = 32;

/// A sampling search, as a part of a mix. It goes on for ever.
#[derive(Debug)]
pub(crate) struct Sampling {
    settings: Samples,
    run: Settings,
    slot: u64,
    /// The first sample that has not been given to a slot.
    next: u64,
    /// The sample before which the guide is made anew, from what was measured.
    round_end: u64,
    guide: GuideSpec,
    profile: Arc<Profile>,
    longest: u32,
    window: Window,
    pub(crate) figures: Sampled,
}

impl Sampling {
    pub(crate) fn new(settings: Samples, run: Settings, slot: u64) -> Sampling {
        let measures = matches!(settings.policy, Policy::Pct | Policy::Surw);
        let mut sampling = Sampling {
            run,
            slot,
            next: 0,
            round_end: if measures { 1 } else { u64::MAX },
            guide: GuideSpec::Random(settings.seed),
            profile: Arc::default(),
            longest: 0,
            window: Window::default(),
            figures: Sampled::new(settings.policy),
            settings,
        };
        sampling.guide = sampling.guide_of_round();
        sampling
    }

    pub(crate) fn policy(&self) -> Policy {
        self.settings.policy
    }

    fn guide_of_round(&self) -> GuideSpec {
        let Samples { policy, seed, depth } = self.settings;
        match policy {
            // Measures.
            Policy::Pct | Policy::Surw if self.next == 0 => GuideSpec::Random(seed),
            Policy::Random => GuideSpec::Random(seed),
            Policy::Pct => GuideSpec::Pct { seed, depth, steps: self.longest },
            Policy::Pos => GuideSpec::Pos(seed),
            Policy::Surw => GuideSpec::Surw { seed, profile: Arc::clone(&self.profile) },
        }
    }

    pub(crate) fn need(&mut self) -> Need {
        loop {
            if let Some(executions) = self.window.need() {
                return Need::Job(executions);
            }
            if self.window.ends() {
                return Need::Outcome;
            }
            if self.next < self.round_end {
                let samples = self.slot.min(self.round_end - self.next);
                self.window.push(Work { prefix: Vec::new(), scope: Scope::Samples(self.next) }, samples);
                self.next += samples;
            } else if !self.window.is_empty() {
                return Need::Outcome;
            } else {
                self.guide = self.guide_of_round();
                self.round_end = match self.settings.policy {
                    Policy::Pct => self.round_end.saturating_mul(ROUND_GROWTH),
                    _ => u64::MAX,
                };
            }
        }
    }

    pub(crate) fn take(&mut self, id: JobId, executions: u64) -> Job {
        let work = self.window.take(id);
        Job {
            trace: work.scope == Scope::Samples(0) && self.settings.policy == Policy::Surw,
            prefix: work.prefix,
            scope: work.scope,
            guide: self.guide.clone(),
            cost: Cost::Preemptions,
            limit: Limit { executions, steps: self.run.max_steps },
            faults: self.run.faults,
            at_cut: AtCut::Stop,
            keep_deferred: false,
            reduce: false,
            repeat: None,
        }
    }

    pub(crate) fn learn(&mut self, id: JobId, outcome: Outcome) {
        self.window.learn(id, outcome, self.run.keep_going, self.slot);
    }

    pub(crate) fn commit(&mut self, coverage: &mut Coverage) -> Option<Committed> {
        let learned = self.window.commit()?;
        Some(self.count(learned, coverage))
    }

    /// Takes over everything that was done so far, when nothing more will be.
    pub(crate) fn drain(&mut self, coverage: &mut Coverage) -> Vec<Committed> {
        self.window.drain().into_iter().map(|learned| self.count(learned, coverage)).collect()
    }

    pub(crate) fn ahead(&self) -> usize {
        self.window.begun()
    }

    fn count(&mut self, learned: Learned, coverage: &mut Coverage) -> Committed {
        let Learned { outcome, failures, ends } = learned;
        self.figures.executions += outcome.executions;
        self.figures.step_limited += outcome.step_limited;
        let (new_classes, new_states) = coverage.add(&outcome);
        self.figures.new_classes += new_classes;
        self.figures.new_states += new_states;
        self.longest = self.longest.max(outcome.longest);
        let committed = Committed {
            used: used(&outcome),
            steps: outcome.steps,
            longest: outcome.longest,
            yields: outcome.yields,
            failure: outcome.failure,
            failures,
            ends,
        };
        if let Some(profile) = outcome.profile {
            self.profile = Arc::new(profile);
        }
        committed
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        to.number(self.next);
        to.number(self.round_end);
        to.number(self.longest as u64);
        to.profile(&self.profile);
        match &self.guide {
            GuideSpec::Pct { steps, .. } => to.number(1 + *steps as u64),
            _ => to.number(0),
        }
        to.flag(matches!(self.guide, GuideSpec::Surw { .. }));
        to.number(self.figures.executions);
        to.number(self.figures.step_limited);
        to.number(self.figures.new_classes);
        to.number(self.figures.new_states);
        self.window.save(to);
    }

    pub(crate) fn load(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.next = from.number()?;
        self.round_end = from.number()?;
        self.longest = from.small()?;
        self.profile = Arc::new(from.profile()?);
        let Samples { seed, depth, .. } = self.settings;
        if let Some(steps) = from.number()?.checked_sub(1) {
            self.guide = GuideSpec::Pct { seed, depth, steps: steps.try_into().ok()? };
        }
        if from.flag()? {
            self.guide = GuideSpec::Surw { seed, profile: Arc::clone(&self.profile) };
        }
        self.figures.executions = from.number()?;
        self.figures.step_limited = from.number()?;
        self.figures.new_classes = from.number()?;
        self.figures.new_states = from.number()?;
        self.window = Window::load(from)?;
        Some(())
    }
}
