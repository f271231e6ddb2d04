//! A small program for each rule of Fig. 4, and for each correction and choice, with all that it can do.
//!
//! What is expected was found by hand. Many programs keep a log in a global, a digit for each thing that happens: 132 says that 1 came
//! first, then 3, then 2.

mod blocking;
mod interrupts;
mod sequential;
mod tasks;

use std::collections::BTreeMap;

use super::ast::{Kind, Program};
use super::explore::Reach;

/// A program and what is to be expected of it.
pub struct Rule {
    pub name: &'static str,
    pub program: Program,
    pub reach: Reach,
    /// Executions by their exact number of preemptions.
    pub counts: BTreeMap<u32, u64>,
}

/// All of them.
pub fn all() -> Vec<Rule> {
    [sequential::all(), tasks::all(), blocking::all(), interrupts::all()].into_iter().flatten().collect()
}

fn rule(name: &'static str, program: Program) -> Rule {
    Rule { name, program, reach: Reach::default(), counts: BTreeMap::new() }
}

impl Rule {
    /// It can terminate with these values, at no fewer preemptions.
    fn ends(mut self, values: &[i32], preemptions: u32) -> Rule {
        self.reach.finals.insert(values.to_vec(), preemptions);
        self
    }

    fn bug(mut self, kind: Kind, preemptions: u32) -> Rule {
        self.reach.bugs.insert(kind, preemptions);
        self
    }

    fn discarded(mut self, preemptions: u32) -> Rule {
        self.reach.discarded = Some(preemptions);
        self
    }

    /// So many executions of 0, 1, 2.. preemptions.
    fn counts(mut self, counts: &[u64]) -> Rule {
        self.counts = (0..).zip(counts.iter().copied()).collect();
        self
    }
}
