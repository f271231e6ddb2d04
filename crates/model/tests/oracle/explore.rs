//! Everything that a program can do by Fig. 4.
//!
//! `reach` goes through the graph of configurations in the order of their preemptions, each once. `executions` goes through the tree
//! of executions, without remembering anything: equal configurations on two ways are two, and so are equal tasks to choose from.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::ast::{Kind, Program, Valuation};
use super::config::Config;
use super::fig4::{Successor, start, step};

/// What can be reached, each with the fewest preemptions that lead there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The values in terminated configurations, also where a `final` does not hold.
    pub finals: BTreeMap<Valuation, u32>,
    pub bugs: BTreeMap<Kind, u32>,
    /// An assumption that does not hold.
    pub discarded: Option<u32>,
}

impl Reach {
    pub fn note(&mut self, end: &End, cost: u32) {
        let least = |old: &mut u32| *old = cost.min(*old);
        match end {
            End::Terminated(values, wrong) => {
                self.finals.entry(values.clone()).and_modify(least).or_insert(cost);
                if *wrong {
                    self.bugs.entry(Kind::Final).and_modify(least).or_insert(cost);
                }
            }
            End::Bug(kind) => {
                self.bugs.entry(*kind).and_modify(least).or_insert(cost);
            }
            End::Discarded => self.discarded = Some(self.discarded.map_or(cost, |old| old.min(cost))),
        }
    }
}

/// How an execution ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With these values; true if a `final` does not hold.
    Terminated(Valuation, bool),
    Bug(Kind),
    Discarded,
}

/// Executions of one cost, by their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Terminated, and every `final` holds.
    pub fine: u64,
    pub bugs: BTreeMap<Kind, u64>,
    pub discarded: u64,
}

impl Tally {
    /// All executions.
    pub fn all(&self) -> u64 {
        self.fine + self.bugs.values().sum::<u64>() + self.discarded
    }

    fn note(&mut self, end: &End) {
        match end {
            End::Terminated(_, false) => self.fine += 1,
            End::Terminated(_, true) => *self.bugs.entry(Kind::Final).or_default() += 1,
            End::Bug(kind) => *self.bugs.entry(*kind).or_default() += 1,
            End::Discarded => self.discarded += 1,
        }
    }
}

/// All executions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// By their exact cost.
    pub by_cost: BTreeMap<u32, Tally>,
    pub reach: Reach,
}

impl Executions {
    pub fn note(&mut self, end: &End, cost: u32) {
        self.by_cost.entry(cost).or_default().note(end);
        self.reach.note(end, cost);
    }

    pub fn all(&self) -> u64 {
        self.by_cost.values().map(Tally::all).sum()
    }
}

/// How much may be looked at. One step is one application of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub steps: u64,
}

impl Limit {
    pub const NONE: Limit = Limit { steps: u64::MAX };

    /// One step less, if there is one.
    pub fn spend(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }
}

/// Goes on as long as there is one way only: to an end, or to where there are several.
enum Run<'p> {
    End(End),
    Fork(Vec<Successor<'p>>),
}

fn run<'p>(program: &'p Program, mut c: Config<'p>, limit: &mut Limit) -> Option<Run<'p>> {
    loop {
        limit.spend()?;
        let mut successors = step(program, c);
        if successors.len() != 1 {
            return Some(Run::Fork(successors));
        }
        match follow(successors.remove(0)) {
            Err(end) => return Some(Run::End(end)),
            Ok((next, cost)) => {
                assert_eq!(cost, 0, "a step without an alternative costs nothing");
                c = next;
            }
        }
    }
}

/// Where it goes on, or how it ends.
fn follow(successor: Successor<'_>) -> Result<(Config<'_>, u32), End> {
    match successor {
        Successor::To(c, cost) => Ok((c, cost)),
        Successor::Bug(kind) => Err(End::Bug(kind)),
        Successor::Discarded => Err(End::Discarded),
        Successor::Terminated(c, wrong) => Err(End::Terminated(c.valuation(), wrong)),
    }
}

/// What can be reached. `None` if the limit is met.
pub fn reach(program: &Program, mut limit: Limit) -> Option<Reach> {
    let mut reach = Reach::default();
    let mut seen = HashSet::new();
    // Costs are 0 or 1: the queue is in the order of its costs, with at most two of them at a time.
    let mut queue = VecDeque::new();
    let mut successors = start(program);
    let mut cost = 0;
    loop {
        for successor in successors {
            match follow(successor) {
                Err(end) => reach.note(&end, cost),
                Ok((next, 0)) => queue.push_front((next, cost)),
                Ok((next, more)) => queue.push_back((next, cost + more)),
            }
        }
        successors = loop {
            let Some((mut c, spent)) = queue.pop_front() else { return Some(reach) };
            // What is pending is a multiset.
            c.pending.iter_mut().for_each(|tasks| tasks.sort());
            if !seen.insert(c.clone()) {
                continue;
            }
            cost = spent;
            match run(program, c, &mut limit)? {
                Run::End(end) => reach.note(&end, cost),
                Run::Fork(successors) => break successors,
            }
        };
    }
}

/// All executions of a program without endless ones. `None` if the limit is met.
pub fn executions(program: &Program, mut limit: Limit) -> Option<Executions> {
    let mut executions = Executions::default();
    let mut stack = vec![(start(program), 0)];
    while let Some((successors, cost)) = stack.pop() {
        for successor in successors {
            let (next, spent) = match follow(successor) {
                Err(end) => {
                    executions.note(&end, cost);
                    continue;
                }
                Ok((next, more)) => (next, cost + more),
            };
            match run(program, next, &mut limit)? {
                Run::End(end) => executions.note(&end, spent),
                Run::Fork(successors) => stack.push((successors, spent)),
            }
        }
    }
    Some(executions)
}
