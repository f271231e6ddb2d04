//! Jobs: what a search asks of the executing side, and the outcomes that come back.

use alloc::vec::Vec;

use crate::finding::Failure;
use crate::guide::{GuideSpec, Profile};
use crate::liveness::Repeat;

/// A choice that differs from what the guide would have done: at this step, this task or this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// The step that the choice decided.
    pub step: u32,
    /// The number of the task, or the value of a data choice.
    pub pick: u32,
    /// Fingerprint of what was chosen among, compared on replay; 0 if not known.
    pub check: u32,
}

/// Options of one point that are still to be taken, by position in the guide's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cut {
    /// The step at which the execution is cut.
    pub step: u32,
    /// The first position to take.
    pub from: u32,
    /// The position after the last one to take.
    pub to: u32,
}

/// What is explored beyond the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scope {
    /// One execution: the prefix, then whatever the guide does.
    One,
    /// Everything that can be reached below the prefix at no cost.
    Below,
    /// For each cut: the prefix up to it, each of its options, and everything below at no cost.
    Cuts(Vec<Cut>),
    /// As many executions as the limit says, each a sample with a seed of its own ([`GuideSpec::sample`]): those numbered
    /// from this on. There is no prefix.
    Samples(u64),
}

/// When to hand back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limit {
    /// Executions, those cut short included.
    pub executions: u64,
    /// Steps of one execution.
    pub steps: u32,
}

/// What a choice costs (docs/semantics.md, "Costs").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Cost {
    /// Leaving a task that could go on costs 1.
    Preemptions,
    /// Each delay of a delaying scheduler costs 1.
    Delays,
    /// Each change of task costs 1.
    Contexts,
    /// Each point costs 1.
    Depth,
    /// Nothing costs anything: unbounded search.
    Free,
}

impl Cost {
    /// How many of a point's options, from position 0 on, cost nothing.
    #[inline]
    pub(crate) fn free_options(self, last_enabled: bool, count: u32) -> u32 {
        match self {
            Cost::Preemptions if last_enabled => 1,
            Cost::Preemptions | Cost::Free => count,
            Cost::Delays => 1,
            Cost::Contexts if last_enabled => 1,
            Cost::Contexts | Cost::Depth => 0,
        }
    }

    /// What a choice costs that preempts or not, changes the task or not, and stands at `position`.
    #[inline]
    pub(crate) fn charge(self, preempts: bool, changes: bool, position: u32) -> u32 {
        match self {
            Cost::Preemptions => preempts as u32,
            Cost::Delays => position,
            Cost::Contexts => changes as u32,
            Cost::Depth => 1,
            Cost::Free => 0,
        }
    }

    /// The word for `n` units.
    pub fn unit(self, n: u32) -> &'static str {
        match (self, n == 1) {
            (Cost::Preemptions, true) => "preemption",
            (Cost::Preemptions, false) => "preemptions",
            (Cost::Delays, true) => "delay",
            (Cost::Delays, false) => "delays",
            (Cost::Contexts, true) => "context switch",
            (Cost::Contexts, false) => "context switches",
            (Cost::Depth, true) => "point",
            (Cost::Depth, false) => "points",
            (Cost::Free, _) => "choices",
        }
    }
}

/// How an execution goes on when every option costs something and nothing may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AtCut {
    /// It ends there.
    Stop,
    /// A random walk with this seed finishes it, so that its end is seen too.
    Finish(u64),
}

/// A subtree of executions to explore: prefix, scope, guide and limit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Job {
    /// Choices to replay, by ascending step.
    pub prefix: Vec<Choice>,
    /// What to explore beyond them.
    pub scope: Scope,
    /// What continues an execution past its last choice.
    pub guide: GuideSpec,
    /// What a choice costs.
    pub cost: Cost,
    /// When to hand back.
    pub limit: Limit,
    /// How many faults an execution may have, whatever else it costs.
    pub faults: u32,
    /// What to do with an execution that cannot go on free of charge.
    pub at_cut: AtCut,
    /// Whether options that cost something come back as records, or only the fact that there are some.
    pub keep_deferred: bool,
    /// Whether executions are left out that are equivalent to others: prefixes of a class that this executing side has
    /// explored before and, where choices cost nothing, orders of steps that commute with everything. Not for delays, where
    /// the scheduler's next steps are not part of a class, nor for costs by which an execution can be cut.
    pub reduce: bool,
    /// A window of steps to be repeated from its end on, whatever that costs; for one execution with its trace.
    pub repeat: Option<Repeat>,
    /// Whether the trace is wanted. It makes the execution slow, and is for one execution.
    pub trace: bool,
}

impl Job {
    /// The job of one execution with its trace, without faults.
    pub fn single(prefix: Vec<Choice>, guide: GuideSpec, max_steps: u32) -> Job {
        Job {
            prefix,
            scope: Scope::One,
            guide,
            cost: Cost::Preemptions,
            limit: Limit { executions: 1, steps: max_steps },
            faults: 0,
            at_cut: AtCut::Stop,
            keep_deferred: false,
            reduce: false,
            repeat: None,
            trace: true,
        }
    }
}

/// One execution as the frontier keeps it: its choices and the options that it met and could not afford.
///
/// Encoded as variable-length numbers; most points take two bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Record {
    bytes: alloc::boxed::Box<[u8]>,
}

impl Record {
    /// Packs an execution's choices and deferred cuts, both by ascending step.
    pub fn new(choices: &[Choice], deferred: &[Cut]) -> Record {
        let mut bytes = Vec::with_capacity(2 + choices.len() * 6 + deferred.len() * 3);
        put(&mut bytes, choices.len() as u32);
        let mut step = 0;
        for choice in choices {
            put(&mut bytes, choice.step - step);
            put(&mut bytes, choice.pick);
            bytes.extend_from_slice(&choice.check.to_le_bytes());
            step = choice.step;
        }
        let mut step = 0;
        for cut in deferred {
            put(&mut bytes, cut.step - step);
            // `from` is 0 or 1 nearly always: it shares a number with the count of options.
            put(&mut bytes, (cut.to - cut.from) << 1 | (cut.from > 0) as u32);
            if cut.from > 0 {
                put(&mut bytes, cut.from - 1);
            }
            step = cut.step;
        }
        Record { bytes: bytes.into_boxed_slice() }
    }

    /// The execution's choices and deferred cuts.
    pub fn unpack(&self) -> (Vec<Choice>, Vec<Cut>) {
        let mut bytes = &self.bytes[..];
        let mut step = 0;
        let choices = (0..get(&mut bytes))
            .map(|_| {
                step += get(&mut bytes);
                let pick = get(&mut bytes);
                let (check, rest) = bytes.split_first_chunk().expect("a whole record");
                bytes = rest;
                Choice { step, pick, check: u32::from_le_bytes(*check) }
            })
            .collect();
        let mut cuts = Vec::new();
        let mut step = 0;
        while !bytes.is_empty() {
            step += get(&mut bytes);
            let packed = get(&mut bytes);
            let from = if packed & 1 == 1 { 1 + get(&mut bytes) } else { 0 };
            cuts.push(Cut { step, from, to: from + (packed >> 1) });
        }
        (choices, cuts)
    }

    /// The record as bytes, for a checkpoint.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A record from its bytes.
    pub fn from_bytes(bytes: &[u8]) -> Record {
        Record { bytes: bytes.into() }
    }

    /// Bytes of memory that this record takes.
    pub fn size(&self) -> usize {
        self.bytes.len() + size_of::<Record>()
    }
}

fn put(bytes: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

fn get(bytes: &mut &[u8]) -> u32 {
    let mut n = 0;
    let mut shift = 0;
    loop {
        let (&byte, rest) = bytes.split_first().expect("a whole record");
        *bytes = rest;
        n |= (byte as u32 & 0x7f) << shift;
        if byte < 0x80 {
            return n;
        }
        shift += 7;
    }
}

/// What came of a job.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome {
    /// Executions that ran to an end of their own.
    pub executions: u64,
    /// Executions that were cut because every way on cost something.
    pub cut: u64,
    /// Executions that a delaying scheduler discarded, or that had no such option.
    pub pruned: u64,
    /// Executions that the program itself discarded.
    pub discarded: u64,
    /// Executions that met the limit of steps.
    pub step_limited: u64,
    /// Executions that came to a prefix of a class that had been explored, and were not branched over from there on.
    pub redundant: u64,
    /// Steps of all executions together.
    pub steps: u64,
    /// Steps of the longest execution.
    pub longest: u32,
    /// The class of each execution, if classes are counted.
    pub classes: Vec<u64>,
    /// The states that were seen, as hashes, each once, by ascending hash; if the program shows them. For the front end to fill in.
    pub states: Vec<u64>,
    /// Executions with deferred options, if they are kept.
    pub records: Vec<Record>,
    /// Whether some task has yielded, and fairness was on.
    pub yields: bool,
    /// Whether options were met that are beyond the last bound.
    pub leaves_out: bool,
    /// Whether the scheduler never brought up some enabled task, however often it was delayed.
    pub unreachable: bool,
    /// What the limit left undone, in the order in which the job would have come to it; of samples nothing.
    pub rest: Vec<Job>,
    /// What the execution did to shared objects, if a trace was wanted.
    pub profile: Option<Profile>,
    /// Bytes of memory that the cache of explored prefixes takes.
    pub cache: usize,
    /// The first failing execution.
    pub failure: Option<Failure>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn records_come_back_as_they_were() {
        let choices =
            vec![Choice { step: 3, pick: 2, check: 77 }, Choice { step: 300, pick: 1000, check: u32::MAX }];
        let cuts = vec![
            Cut { step: 0, from: 1, to: 3 },
            Cut { step: 1, from: 0, to: 2 },
            Cut { step: 20_000, from: 5, to: 900 },
        ];
        assert_eq!(Record::new(&choices, &cuts).unpack(), (choices, cuts));
        assert_eq!(Record::new(&[], &[]).unpack(), (vec![], vec![]));
    }
}
