//! Iterative bounding (Musuvathi and Qadeer, PLDI 2007, section 3), over any cost.
//!
//! Algorithm 1 of the paper keeps work items of a state and a thread; a stateless search keeps the execution that leads
//! there. Every execution of cost c is run before any of cost c+1, and each is run once: a job of bound c replays a
//! prefix of cost c and explores below it only what costs nothing; what costs something goes on the frontier.

use caissa_core::{AtCut, Cost, GuideSpec, Job, Limit, Outcome, Scope};

use crate::checkpoint::{Reader, Writer};
use crate::coverage::Coverage;
use crate::frontier::Frontier;
use crate::part::{Committed, Need};
use crate::window::{Learned, Window, Work, used};
use crate::{BoundSummary, JobId, Settings};

/// What to search, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// What a choice costs.
    pub cost: Cost,
    /// What continues an execution past its choices.
    pub guide: GuideSpec,
    /// The largest bound; `None` goes on until nothing is left.
    pub max_bound: Option<u32>,
    /// What to do with an execution that cannot go on free of charge.
    pub at_cut: AtCut,
}

/// The one bounded search, as a part of a mix.
#[derive(Debug)]
pub(crate) struct Bounded {
    settings: Bounds,
    run: Settings,
    /// Executions of one slot.
    slot: u64,
    bound: u32,
    started: bool,
    finished: bool,
    frontier: Frontier,
    window: Window,
    /// Pieces of work that the present bound began with.
    pieces: usize,
    pub(crate) bounds: Vec<BoundSummary>,
    /// Some execution would need more than the largest bound.
    pub(crate) more: bool,
    /// The scheduler leads to some schedules at no bound.
    pub(crate) unreachable: bool,
}

impl Bounded {
    pub(crate) fn new(settings: Bounds, run: Settings, slot: u64) -> Bounded {
        Bounded {
            bound: 0,
            started: false,
            finished: false,
            frontier: Frontier::new(settings.cost),
            window: Window::default(),
            pieces: 1,
            bounds: vec![BoundSummary::default()],
            more: false,
            unreachable: false,
            settings,
            run,
            slot,
        }
    }

    pub(crate) fn cost(&self) -> Cost {
        self.settings.cost
    }

    pub(crate) fn guide(&self) -> &GuideSpec {
        &self.settings.guide
    }

    pub(crate) fn bound(&self) -> u32 {
        self.bound
    }

    /// Records on the frontier, and their bytes.
    pub(crate) fn frontier(&self) -> (usize, usize) {
        self.frontier.size()
    }

    /// About how much of the present bound is done.
    pub(crate) fn share_done(&self) -> Option<f64> {
        let left = self.frontier.len_at(self.bound) + self.window.len();
        (self.pieces > 8).then(|| 1.0 - (left as f64 / self.pieces as f64).min(1.0))
    }

    /// Whether every schedule was explored, to its end.
    pub(crate) fn covers_everything(&self) -> bool {
        let exhaustive = self.bounds.iter().all(BoundSummary::is_exhaustive);
        self.finished && exhaustive && !self.more && !self.unreachable
    }

    fn at_last_bound(&self) -> bool {
        self.settings.max_bound.is_some_and(|max| self.bound >= max)
    }

    pub(crate) fn need(&mut self) -> Need {
        loop {
            if let Some(executions) = self.window.need() {
                return Need::Job(executions);
            }
            if self.finished {
                return Need::Nothing;
            }
            if self.window.ends() {
                return Need::Outcome;
            }
            if !self.started {
                self.started = true;
                self.window.push(Work { prefix: Vec::new(), scope: Scope::Below }, self.slot);
            } else if let Some(work) = self.frontier.pop(self.bound) {
                self.window.push(work, self.slot);
            } else if !self.window.is_empty() {
                return Need::Outcome;
            } else {
                self.next_bound();
            }
        }
    }

    /// Nothing of this bound is left: closes it.
    fn next_bound(&mut self) {
        self.present().complete = true;
        self.frontier.close(self.bound);
        let beyond = self.frontier.has_beyond(self.bound);
        if self.at_last_bound() || !beyond {
            self.more |= beyond;
            self.finished = true;
            return;
        }
        self.bound += 1;
        self.pieces = self.frontier.len_at(self.bound);
        self.bounds.push(BoundSummary { bound: self.bound, ..BoundSummary::default() });
    }

    fn present(&mut self) -> &mut BoundSummary {
        self.bounds.last_mut().expect("there is one for every bound")
    }

    pub(crate) fn take(&mut self, id: JobId, executions: u64) -> Job {
        let work = self.window.take(id);
        Job {
            prefix: work.prefix,
            scope: work.scope,
            guide: self.settings.guide.clone(),
            cost: self.settings.cost,
            limit: Limit { executions, steps: self.run.max_steps },
            faults: self.run.faults,
            at_cut: self.settings.at_cut,
            keep_deferred: !self.at_last_bound(),
            // Where it is known how.
            reduce: self.run.reduce && matches!(self.settings.cost, Cost::Preemptions | Cost::Free),
            repeat: None,
            trace: false,
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
        let (new_classes, new_states) = coverage.add(&outcome);
        let bound = self.present();
        bound.executions += outcome.executions;
        bound.cut += outcome.cut;
        bound.pruned += outcome.pruned;
        bound.discarded += outcome.discarded;
        bound.step_limited += outcome.step_limited;
        bound.redundant += outcome.redundant;
        bound.new_classes += new_classes;
        bound.new_states += new_states;
        self.more |= outcome.leaves_out;
        self.unreachable |= outcome.unreachable;
        let committed = Committed {
            used: used(&outcome),
            steps: outcome.steps,
            longest: outcome.longest,
            yields: outcome.yields,
            failure: outcome.failure,
            failures,
            ends,
        };
        for record in outcome.records {
            self.frontier.push_record(self.bound, record);
        }
        committed
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        to.number(self.bound as u64);
        to.flag(self.started);
        to.flag(self.finished);
        to.count(self.pieces);
        to.bounds(&self.bounds);
        to.flag(self.more);
        to.flag(self.unreachable);
        self.frontier.save(to);
        self.window.save(to);
    }

    pub(crate) fn load(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.bound = from.small()?;
        self.started = from.flag()?;
        self.finished = from.flag()?;
        self.pieces = from.number()? as usize;
        self.bounds = from.bounds().filter(|bounds| !bounds.is_empty())?;
        self.more = from.flag()?;
        self.unreachable = from.flag()?;
        self.frontier = Frontier::load(self.settings.cost, from)?;
        self.window = Window::load(from)?;
        Some(())
    }
}
