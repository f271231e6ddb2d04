//! A part of a mix: a bounded search or a sampling one.

use caissa_core::{Failure, Job, Outcome};

use crate::bounded::Bounded;
use crate::checkpoint::{Reader, Writer};
use crate::coverage::Coverage;
use crate::sampling::Sampling;
use crate::{Finder, JobId};

/// What a part needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A worker, for a job of so many executions.
    Job(u64),
    /// The outcomes of jobs that are being run, or that what is known be taken over.
    Outcome,
    /// Nothing: it is done.
    Nothing,
}

/// What was taken over from a part.
#[derive(Debug)]
pub(crate) struct Committed {
    /// Executions, those included that were cut or discarded.
    pub(crate) used: u64,
    pub(crate) steps: u64,
    pub(crate) longest: u32,
    /// Some task has yielded, and fairness was on.
    pub(crate) yields: bool,
    pub(crate) failure: Option<Failure>,
    pub(crate) failures: u64,
    /// The search ends with it.
    pub(crate) ends: bool,
}

#[derive(Debug)]
pub(crate) enum Part {
    Bounded(Bounded),
    Sampling(Sampling),
}

macro_rules! forward {
    ($part:expr, $inner:ident => $call:expr) => {
        match $part {
            Part::Bounded($inner) => $call,
            Part::Sampling($inner) => $call,
        }
    };
}

impl Part {
    pub(crate) fn need(&mut self) -> Need {
        forward!(self, part => part.need())
    }

    pub(crate) fn take(&mut self, id: JobId, executions: u64) -> Job {
        forward!(self, part => part.take(id, executions))
    }

    pub(crate) fn learn(&mut self, id: JobId, outcome: Outcome) {
        forward!(self, part => part.learn(id, outcome))
    }

    /// Takes over the next thing that was done, in order.
    pub(crate) fn commit(&mut self, coverage: &mut Coverage) -> Option<Committed> {
        forward!(self, part => part.commit(coverage))
    }

    /// Takes over everything that was done so far, when nothing more will be.
    pub(crate) fn drain(&mut self, coverage: &mut Coverage) -> Vec<Committed> {
        forward!(self, part => part.drain(coverage))
    }

    /// Slots that were begun and not taken over.
    pub(crate) fn ahead(&self) -> usize {
        forward!(self, part => part.ahead())
    }

    pub(crate) fn covers_everything(&self) -> bool {
        matches!(self, Part::Bounded(bounded) if bounded.covers_everything())
    }

    /// What it is, for a finding.
    pub(crate) fn finder(&self) -> Finder {
        match self {
            Part::Bounded(bounded) => Finder::Bounded { cost: bounded.cost(), bound: bounded.bound() },
            Part::Sampling(sampling) => Finder::Sampled(sampling.policy()),
        }
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Part::Bounded(bounded) => {
                let (records, bytes) = bounded.frontier();
                bytes as u64 + records as u64 * 16
            }
            Part::Sampling(_) => 0,
        }
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        forward!(self, part => part.save(to))
    }

    pub(crate) fn load(&mut self, from: &mut Reader<'_>) -> Option<()> {
        forward!(self, part => part.load(from))
    }
}
