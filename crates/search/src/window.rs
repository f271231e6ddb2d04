//! The window: the part of a search's work that is being done now, in its order.
//!
//! Work is cut into *slots*, each good for a fixed number of executions. Any number of slots can be worked on at a time, but
//! what came of them is taken out from the front, so that a search learns the same things in the same order however many
//! workers there are. What a slot leaves undone becomes slots of its own just behind it: together they run through the
//! executions in depth-first order.
//!
//! A job can come back before it has done all that its slot is good for, because it was asked to. Then the slot goes on
//! later, also in another process, as if nothing had happened.

use std::collections::VecDeque;

use caissa_core::{Choice, Ending, Outcome, Scope};

use crate::JobId;
use crate::checkpoint::{Reader, Writer};

/// A piece of work: what to explore beyond a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) prefix: Vec<Choice>,
    pub(crate) scope: Scope,
}

/// Executions of an outcome, those included that were cut or discarded.
pub(crate) fn used(outcome: &Outcome) -> u64 {
    outcome.executions + outcome.cut + outcome.pruned + outcome.discarded
}

#[derive(Debug, Default)]
struct Slot {
    /// What is left to do, in order.
    works: VecDeque<Work>,
    /// What is being done; it comes before the others.
    running: Option<(JobId, Work)>,
    /// Executions that the slot is still good for.
    left: u64,
    /// What came of it so far.
    learned: Learned,
}

/// What came of a slot.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    /// Its jobs together, with the first failure and nothing that is left to do.
    pub(crate) outcome: Outcome,
    /// Failing executions.
    pub(crate) failures: u64,
    /// Nothing that comes after it is to be done.
    pub(crate) ends: bool,
}

impl Slot {
    fn is_done(&self) -> bool {
        self.running.is_none() && (self.works.is_empty() || self.learned.ends)
    }

    fn is_waiting(&self) -> bool {
        self.running.is_none() && !self.works.is_empty() && !self.learned.ends
    }
}

#[derive(Debug, Default)]
pub(crate) struct Window {
    slots: VecDeque<Slot>,
}

impl Window {
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Slots that were begun, done or not.
    pub(crate) fn begun(&self) -> usize {
        self.slots.iter().filter(|slot| !slot.is_waiting()).count()
    }

    /// Appends work that is good for so many executions.
    pub(crate) fn push(&mut self, work: Work, executions: u64) {
        self.slots.push_back(Slot { works: [work].into(), left: executions, ..Slot::default() });
    }

    /// Whether something has been found after which nothing is to be done.
    pub(crate) fn ends(&self) -> bool {
        self.slots.iter().any(|slot| slot.learned.ends)
    }

    /// The first slot that waits for a worker.
    fn waiting(&mut self) -> Option<&mut Slot> {
        let before_end = |slot: &&mut Slot| !slot.learned.ends;
        self.slots.iter_mut().take_while(before_end).find(|slot| slot.is_waiting())
    }

    /// How many executions the next job is good for.
    pub(crate) fn need(&mut self) -> Option<u64> {
        self.waiting().map(|slot| slot.left)
    }

    /// Hands out the next job's work.
    pub(crate) fn take(&mut self, id: JobId) -> Work {
        let slot = self.waiting().expect("asked for what is needed before");
        let work = slot.works.pop_front().expect("it is waiting");
        slot.running = Some((id, work.clone()));
        work
    }

    /// What came of a job. `renewed`: how many executions what its slot leaves undone is good for.
    pub(crate) fn learn(&mut self, id: JobId, mut outcome: Outcome, keep_going: bool, renewed: u64) {
        let at = self.slots.iter().position(|slot| slot.running.as_ref().is_some_and(|job| job.0 == id));
        let at = at.expect("an outcome belongs to a job that is being run");
        let slot = &mut self.slots[at];
        let (_, work) = slot.running.take().expect("it is the one");
        slot.left -= used(&outcome).min(slot.left);
        match work.scope {
            Scope::Samples(first) if slot.left > 0 => {
                let scope = Scope::Samples(first + used(&outcome));
                slot.works.push_front(Work { scope, ..work });
            }
            _ => {
                for job in outcome.rest.drain(..).rev() {
                    slot.works.push_front(Work { prefix: job.prefix, scope: job.scope });
                }
            }
        }
        if let Some(failure) = &outcome.failure {
            slot.learned.failures += 1;
            slot.learned.ends |= !keep_going || matches!(failure.ending, Ending::Diverged | Ending::Misused);
        }
        merge(&mut slot.learned.outcome, outcome);
        if slot.left == 0 && !slot.learned.ends {
            let works = std::mem::take(&mut slot.works);
            let behind = self.slots.split_off(at + 1);
            works.into_iter().for_each(|work| self.push(work, renewed));
            self.slots.extend(behind);
        }
    }

    /// Takes out what came of the first slot, once it is done.
    pub(crate) fn commit(&mut self) -> Option<Learned> {
        self.slots.front()?.is_done().then(|| self.slots.pop_front().expect("there is one").learned)
    }

    /// Takes out what came of everything so far, when nothing more will be done.
    pub(crate) fn drain(&mut self) -> Vec<Learned> {
        let mut learned: Vec<_> = self.slots.drain(..).map(|slot| slot.learned).collect();
        if let Some(end) = learned.iter().position(|learned| learned.ends) {
            learned.truncate(end + 1);
        }
        learned
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        to.count(self.slots.len());
        for slot in &self.slots {
            let running = slot.running.as_ref().map(|(_, work)| work);
            to.count(slot.works.len() + running.iter().len());
            for work in running.into_iter().chain(&slot.works) {
                to.choices(&work.prefix);
                to.scope(&work.scope);
            }
            to.number(slot.left);
            slot.learned.save(to);
        }
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Option<Window> {
        let slots = from.list(|from| {
            let works = from.list(|from| Some(Work { prefix: from.choices()?, scope: from.scope()? }))?;
            let left = from.number()?;
            Some(Slot { works: works.into(), running: None, left, learned: Learned::load(from)? })
        })?;
        Some(Window { slots: slots.into() })
    }
}

fn merge(all: &mut Outcome, more: Outcome) {
    all.executions += more.executions;
    all.cut += more.cut;
    all.pruned += more.pruned;
    all.discarded += more.discarded;
    all.step_limited += more.step_limited;
    all.redundant += more.redundant;
    all.steps += more.steps;
    all.longest = all.longest.max(more.longest);
    all.classes.extend(more.classes);
    all.states.extend(more.states);
    all.records.extend(more.records);
    all.yields |= more.yields;
    all.leaves_out |= more.leaves_out;
    all.unreachable |= more.unreachable;
    all.failure = all.failure.take().or(more.failure);
    all.profile = all.profile.take().or(more.profile);
}

impl Learned {
    fn save(&self, to: &mut Writer) {
        let outcome = &self.outcome;
        for number in [
            outcome.executions,
            outcome.cut,
            outcome.pruned,
            outcome.discarded,
            outcome.step_limited,
            outcome.redundant,
            outcome.steps,
        ] {
            to.number(number);
        }
        to.number(outcome.longest as u64);
        to.count(outcome.classes.len());
        outcome.classes.iter().for_each(|&class| to.word(class));
        to.count(outcome.states.len());
        outcome.states.iter().for_each(|&state| to.word(state));
        to.count(outcome.records.len());
        outcome.records.iter().for_each(|record| to.record(record));
        to.flag(outcome.yields);
        to.flag(outcome.leaves_out);
        to.flag(outcome.unreachable);
        to.flag(outcome.failure.is_some());
        outcome.failure.iter().for_each(|failure| to.failure(failure));
        to.flag(outcome.profile.is_some());
        outcome.profile.iter().for_each(|profile| to.profile(profile));
        to.number(self.failures);
        to.flag(self.ends);
    }

    fn load(from: &mut Reader<'_>) -> Option<Learned> {
        let outcome = Outcome {
            executions: from.number()?,
            cut: from.number()?,
            pruned: from.number()?,
            discarded: from.number()?,
            step_limited: from.number()?,
            redundant: from.number()?,
            steps: from.number()?,
            longest: from.small()?,
            classes: from.list(Reader::word)?,
            states: from.list(Reader::word)?,
            records: from.list(Reader::record)?,
            yields: from.flag()?,
            leaves_out: from.flag()?,
            unreachable: from.flag()?,
            failure: if from.flag()? { Some(from.failure()?) } else { None },
            profile: if from.flag()? { Some(from.profile()?) } else { None },
            ..Outcome::default()
        };
        Some(Learned { outcome, failures: from.number()?, ends: from.flag()? })
    }
}
