//! A search made of parts that take turns.
//!
//! Most searches have one part. With several, the first one leads: it has its turn, and then each other part has its share
//! of what the first has had, in executions. What a part does in its turn does not depend on the others, save that classes
//! and states are counted once. The search is done when a part has covered every schedule, or when the leading part is done and the
//! others have had their share; a part without end, such as sampling, is done when the budget is.
//!
//! Workers run ahead of the turns, but what they bring is taken over in order, so that the result does not depend on how
//! many there are: a failure ends the search where it stands in that order.

use caissa_core::{Cost, Failure, GuideSpec, Outcome};

use crate::auto::Ingredient;
use crate::bounded::Bounded;
use crate::checkpoint::{Reader, Writer};
use crate::coverage::Coverage;
use crate::part::{Committed, Need, Part};
use crate::sampling::Sampling;
use crate::window::used;
use crate::{Finder, JobId, Next, Progress, Search, Side, Stopped, Summary};

/// What holds for all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The budget of executions.
    pub max_executions: u64,
    /// The limit of steps in one execution.
    pub max_steps: u32,
    /// The budget of memory for what the search itself keeps, in bytes.
    pub max_memory: Option<u64>,
    /// The budget of faults in one execution.
    pub faults: u32,
    /// Leave out executions that are equivalent to others, where it is known how.
    pub reduce: bool,
    /// Go on after a failure, to count all executions. The first failure stays.
    pub keep_going: bool,
}

/// Executions of one job at most: large enough that handing over costs nothing, small enough to share and to stop soon.
const JOB_EXECUTIONS: u64 = 1_024;

/// Jobs of the leading part are so many times smaller than its turns, so that it has not much more than its turn.
const JOBS_IN_TURN: u64 = 4;

/// A worker runs ahead of a part's turn only while the part has fewer slots than this that nobody has taken over.
const AHEAD: usize = 4;

/// A search of one or more parts.
#[derive(Debug)]
pub struct Mix {
    settings: Settings,
    parts: Vec<Turns>,
    /// Whose turn it is.
    turn: usize,
    /// It is the leading part's first turn.
    leading: bool,
    /// Executions that the leading part has had in this round.
    led: u64,
    /// The leading part is done.
    lead_done: bool,
    /// Executions of all outcomes, whether taken over or not.
    used: u64,
    /// Jobs that are being run: the part of each, and the executions that it may use.
    running: Vec<(JobId, usize, u64)>,
    next_id: u64,
    /// Bytes of the largest cache that a worker has.
    cache: usize,
    coverage: Coverage,
    steps: u64,
    longest: u32,
    yields: bool,
    failure: Option<(Finder, Failure)>,
    failures: u64,
    stopped: Option<Stopped>,
    done: bool,
}

/// A part with its share.
#[derive(Debug)]
struct Turns {
    part: Part,
    /// Executions in a round, if the leading part has what is its own there.
    share: u64,
    /// Executions that it may still have in its turn; below 0 if it had too many.
    credit: i64,
}

impl Mix {
    /// A search that has not begun: its parts, each with its executions in a round.
    pub fn new(settings: Settings, ingredients: Vec<(Ingredient, u64)>) -> Mix {
        let alone = ingredients.len() == 1;
        let small = ingredients.first().map_or(1, |(_, share)| share.div_ceil(JOBS_IN_TURN));
        let parts = ingredients.into_iter().enumerate().map(|(index, (ingredient, share))| {
            let slot = if alone { JOB_EXECUTIONS } else { share.min(small) };
            let part = match ingredient {
                Ingredient::Bounded(bounds) => Part::Bounded(Bounded::new(bounds, settings, slot)),
                Ingredient::Sampling(samples) => Part::Sampling(Sampling::new(samples, settings, slot)),
            };
            let credit = match index {
                0 if alone => i64::MAX,
                0 => share as i64,
                _ => 0,
            };
            Turns { part, share, credit }
        });
        Mix {
            parts: parts.collect(),
            settings,
            turn: 0,
            leading: !alone,
            led: 0,
            lead_done: false,
            used: 0,
            running: Vec::new(),
            next_id: 0,
            cache: 0,
            coverage: Coverage::default(),
            steps: 0,
            longest: 0,
            yields: false,
            failure: None,
            failures: 0,
            stopped: None,
            done: false,
        }
    }

    fn is_alone(&self) -> bool {
        self.parts.len() == 1
    }

    /// Takes over what was done, turn by turn, as far as it is known.
    fn settle(&mut self) {
        while !self.done {
            if self.parts[self.turn].credit > 0
                && let Some(committed) = self.parts[self.turn].part.commit(&mut self.coverage)
            {
                self.take_over(committed);
                continue;
            }
            let turns = &mut self.parts[self.turn];
            if turns.part.need() == Need::Nothing {
                if turns.part.covers_everything() || self.is_alone() {
                    self.done = true;
                    return;
                }
                self.lead_done |= self.turn == 0;
            } else if turns.credit > 0 {
                return;
            }
            self.next_turn();
        }
    }

    /// Whether a failing execution has been taken over.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    fn take_over(&mut self, committed: Committed) {
        let turns = &mut self.parts[self.turn];
        if turns.credit != i64::MAX {
            turns.credit -= committed.used as i64;
        }
        if self.turn == 0 {
            self.led += committed.used;
        }
        let finder = turns.part.finder();
        self.count(finder, committed);
        if self.settings.max_memory.is_some_and(|max| self.memory() > max) {
            self.stop(Stopped::Memory);
        }
    }

    fn next_turn(&mut self) {
        let was_first = std::mem::take(&mut self.leading);
        self.turn += 1;
        // What needs no more than the leading part's first turn is left to that part.
        if self.lead_done && (was_first || self.turn == self.parts.len()) {
            self.done = true;
            return;
        }
        self.turn %= self.parts.len();
        let lead_share = self.parts[0].share;
        let turns = &mut self.parts[self.turn];
        if self.turn == 0 {
            self.led = 0;
            turns.credit += lead_share as i64;
        } else {
            turns.credit += (self.led * turns.share).div_ceil(lead_share) as i64;
        }
    }

    fn count(&mut self, finder: Finder, committed: Committed) {
        self.steps += committed.steps;
        self.longest = self.longest.max(committed.longest);
        self.yields |= committed.yields;
        self.failures += committed.failures;
        if let Some(failure) = committed.failure {
            self.failure.get_or_insert((finder, failure));
        }
        self.done |= committed.ends;
    }

    /// About how many bytes of memory the frontier, the coverage and a worker's cache take.
    pub fn memory(&self) -> u64 {
        self.cache as u64
            + self.coverage.bytes()
            + self.parts.iter().map(|turns| turns.part.bytes()).sum::<u64>()
    }

    fn give(&mut self, index: usize, executions: u64) -> Next {
        let id = JobId(self.next_id);
        self.next_id += 1;
        self.running.push((id, index, executions));
        Next::Run(id, self.parts[index].part.take(id, executions))
    }

    /// The next job of a part, if it has one and the budget allows it.
    fn job_of(&mut self, index: usize) -> Option<Next> {
        let Need::Job(executions) = self.parts[index].part.need() else { return None };
        let reserved: u64 = self.running.iter().map(|job| job.2).sum();
        let left = self.settings.max_executions.saturating_sub(self.used + reserved);
        if executions <= left {
            return Some(self.give(index, executions));
        }
        // Jobs that are being run may leave something of what they were given.
        if !self.running.is_empty() {
            return None;
        }
        if left > 0 {
            return Some(self.give(index, left));
        }
        self.stop(Stopped::Executions);
        None
    }

    /// What it has come to. What was done is taken over, also where something before it was not; so a checkpoint has to be made
    /// before.
    pub fn conclude(&mut self) -> Summary {
        for index in 0..self.parts.len() {
            if self.failure.is_some() && !self.settings.keep_going {
                break;
            }
            // Another part's turn has not come: what its workers did ahead of it counts only if the search was stopped.
            if index != self.turn && self.stopped.is_none() {
                continue;
            }
            let part = &mut self.parts[index].part;
            let finder = part.finder();
            for committed in part.drain(&mut self.coverage) {
                self.count(finder, committed);
            }
        }
        self.summary()
    }

    /// The figures so far.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary {
            steps: self.steps,
            longest: self.longest,
            yields: self.yields,
            failure: self.failure.clone(),
            failures: self.failures,
            stopped: self.stopped,
            covered: self.parts.iter().any(|turns| turns.part.covers_everything()),
            ..Summary::default()
        };
        for (index, turns) in self.parts.iter().enumerate() {
            match &turns.part {
                Part::Bounded(bounded) => {
                    let (records, bytes) = bounded.frontier();
                    summary.frontier = (summary.frontier.0 + records, summary.frontier.1 + bytes);
                    if index == 0 {
                        summary.bounds.clone_from(&bounded.bounds);
                        summary.more = bounded.more;
                        summary.unreachable = bounded.unreachable;
                    } else if bounded
                        .bounds
                        .iter()
                        .any(|bound| bound.executions + bound.cut + bound.pruned + bound.discarded > 0)
                    {
                        let scheduler = match bounded.guide() {
                            GuideSpec::Delaying(name) => Some(name.clone()),
                            _ => None,
                        };
                        let (cost, bounds) = (bounded.cost(), bounded.bounds.clone());
                        summary.sides.push(Side { cost, scheduler, bounds });
                    }
                }
                Part::Sampling(sampling) if index == 0 || sampling.figures.executions > 0 => {
                    summary.samples.push(sampling.figures);
                }
                Part::Sampling(_) => {}
            }
        }
        summary
    }

    /// What a progress line shows.
    pub fn progress(&self) -> Progress {
        let lead = &self.parts[0].part;
        let (bound, share_done) = match lead {
            Part::Bounded(bounded) if bounded.cost() == Cost::Free => (None, None),
            Part::Bounded(bounded) => (Some(bounded.bound()), bounded.share_done()),
            Part::Sampling(_) => (None, None),
        };
        Progress { bound, share_done, executions: self.used, memory: self.memory() }
    }

    /// The search as it stands; jobs that are being run are still to be run.
    pub fn save(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.count(self.turn);
        to.flag(self.leading);
        to.number(self.led);
        to.flag(self.lead_done);
        to.number(self.used);
        to.number(self.steps);
        to.number(self.longest as u64);
        to.flag(self.yields);
        to.number(self.failures);
        to.flag(self.failure.is_some());
        if let Some((finder, failure)) = &self.failure {
            finder.save(&mut to);
            to.failure(failure);
        }
        to.count(self.parts.len());
        for turns in &self.parts {
            to.signed(turns.credit);
            turns.part.save(&mut to);
        }
        self.coverage.save(&mut to);
        to.bytes
    }

    /// Goes on from what [`Mix::save`] has saved of a search with the same parts. `None` if it is not that.
    #[must_use]
    pub fn load(mut self, state: &[u8]) -> Option<Mix> {
        let from = &mut Reader { bytes: state };
        self.turn = from.number()? as usize;
        self.leading = from.flag()?;
        self.led = from.number()?;
        self.lead_done = from.flag()?;
        self.used = from.number()?;
        self.steps = from.number()?;
        self.longest = from.small()?;
        self.yields = from.flag()?;
        self.failures = from.number()?;
        if from.flag()? {
            self.failure = Some((Finder::load(from)?, from.failure()?));
        }
        if from.count()? != self.parts.len() || self.turn >= self.parts.len() {
            return None;
        }
        for turns in &mut self.parts {
            turns.credit = from.signed()?;
            turns.part.load(from)?;
        }
        self.coverage = Coverage::load(from)?;
        from.bytes.is_empty().then_some(self)
    }
}

impl Search for Mix {
    fn next(&mut self) -> Next {
        self.settle();
        if !self.done {
            if let Some(next) = self.job_of(self.turn) {
                return next;
            }
            if !self.done && !self.leading && !self.lead_done {
                for offset in 1..self.parts.len() {
                    let index = (self.turn + offset) % self.parts.len();
                    if self.parts[index].part.ahead() < AHEAD
                        && let Some(next) = self.job_of(index)
                    {
                        return next;
                    }
                }
            }
        }
        if !self.running.is_empty() {
            return Next::Wait;
        }
        assert!(self.done, "a search that waits has jobs that are being run");
        Next::Done
    }

    fn learn(&mut self, id: JobId, outcome: Outcome) {
        let at = self.running.iter().position(|job| job.0 == id);
        let (_, index, _) = self.running.remove(at.expect("an outcome belongs to a job that is being run"));
        self.used += used(&outcome);
        self.cache = self.cache.max(outcome.cache);
        self.parts[index].part.learn(id, outcome);
        self.settle();
    }

    fn stop(&mut self, why: Stopped) {
        if !self.done {
            self.stopped.get_or_insert(why);
            self.done = true;
        }
    }
}
