//! The cells of the fairness paper's Table 2 (Musuvathi and Qadeer, PLDI 2008, section 4.2.1): how many states an exhaustive search
//! with stored states finds, and how many of them the fair stateless search comes to.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use caissa::{Builder, Report, Search, Verdict};

use super::explorer::states_by_bound;
use super::fair::Fair;
use super::philosophers::{Manners, Philosophers};
use super::queue::WorkStealing;

/// The states that hooks have shown.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<HashSet<u64>>>);

impl Seen {
    /// The state hook of a program: shows the state to the check, and keeps it.
    pub fn show(&self, state: impl Fn() -> u64 + Send + 'static) {
        let seen = Arc::clone(&self.0);
        caissa::state(move || {
            let state = state();
            seen.lock().unwrap().insert(state);
            state
        });
    }

    fn take(&self) -> BTreeSet<u64> {
        std::mem::take(&mut *self.0.lock().unwrap()).into_iter().collect()
    }
}

#[derive(Clone, Copy)]
pub enum Program {
    Philosophers(Philosophers),
    WorkStealing(WorkStealing),
}

impl Program {
    pub fn philosophers(count: usize, manners: Manners) -> Program {
        Program::Philosophers(Philosophers { count, manners })
    }

    pub fn work_stealing(thieves: usize, items: u8) -> Program {
        Program::WorkStealing(WorkStealing { thieves, items, stubborn: false })
    }

    pub fn stubborn_work_stealing(thieves: usize, items: u8) -> Program {
        Program::WorkStealing(WorkStealing { thieves, items, stubborn: true })
    }

    /// All states that can be reached with at most so many preemptions, or with any number.
    pub fn states(self, strategy: Strategy) -> BTreeSet<u64> {
        let mut bounds = match self {
            Program::Philosophers(model) => states_by_bound(&model),
            Program::WorkStealing(model) => states_by_bound(&model),
        };
        let last = bounds.len() - 1;
        bounds.swap_remove(match strategy {
            Strategy::Preemptions(bound) => last.min(bound as usize),
            Strategy::Dfs => last,
        })
    }

    /// The states that fair executions of the model come to, and how many of these there are.
    pub fn fair(self, strategy: Strategy) -> (BTreeSet<u64>, u128) {
        let bound = match strategy {
            Strategy::Preemptions(bound) => Some(bound),
            Strategy::Dfs => None,
        };
        match self {
            Program::Philosophers(model) => Fair::explore(&model, bound).results(),
            Program::WorkStealing(model) => Fair::explore(&model, bound).results(),
        }
    }

    /// Explores the real program.
    pub fn explore(self, builder: Builder) -> (Report, BTreeSet<u64>) {
        let seen = Seen::default();
        let report = match self {
            Program::Philosophers(model) => builder.explore(model.program(seen.clone())),
            Program::WorkStealing(model) => builder.explore(model.program(seen.clone())),
        };
        (report.expect("a check that makes sense"), seen.take())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Program::Philosophers(Philosophers { count, manners }) => {
                let manners = match manners {
                    Manners::All => "all give way",
                    Manners::Nested => "all give way, nested",
                    Manners::First => "the first gives way",
                };
                write!(f, "{count} philosophers, {manners}")
            }
            Program::WorkStealing(WorkStealing { thieves, items, stubborn }) => {
                let s = |n: usize| if n == 1 { "" } else { "s" };
                let (a, b) = (s(*thieves), s(usize::from(*items)));
                let stubborn = if *stubborn { "stubborn " } else { "" };
                write!(f, "work-stealing queue, {thieves} {stubborn}stealer{a}, {items} item{b}")
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    Preemptions(u32),
    Dfs,
}

impl Strategy {
    pub const ALL: [Strategy; 4] =
        [Strategy::Preemptions(1), Strategy::Preemptions(2), Strategy::Preemptions(3), Strategy::Dfs];

    pub fn builder(self) -> Builder {
        let builder = Builder::new().faults(0).classes(false).complete(false);
        match self {
            Strategy::Preemptions(bound) => builder.preemptions(bound),
            Strategy::Dfs => builder.search(Search::Dfs),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Preemptions(bound) => write!(f, "cb={bound}"),
            Strategy::Dfs => f.write_str("dfs"),
        }
    }
}

/// One cell of the table.
pub struct Cell {
    pub program: Program,
    pub strategy: Strategy,
    /// States that the exhaustive search has found.
    pub total: usize,
    /// States that the fair search came to.
    pub fair: usize,
    /// Of those that the exhaustive search has found, the ones that the fair search did not come to.
    pub missed: usize,
    pub executions: u64,
    /// The fair search came to its end.
    pub complete: bool,
}

impl Cell {
    /// Measures a cell, with at most so many executions.
    pub fn measure(program: Program, strategy: Strategy, budget: u64) -> Cell {
        let total = program.states(strategy);
        let (report, seen) = program.explore(strategy.builder().max_executions(budget));
        let complete = match report.verdict {
            Verdict::Verified | Verdict::Bounded => true,
            Verdict::Incomplete => false,
            Verdict::Bug | Verdict::Diverged => panic!("{program}, {strategy}: {report}"),
        };
        assert_eq!(report.states(), Some(seen.len() as u64), "what was shown was counted: {report}");
        let missed = total.difference(&seen).count();
        let executions = report.executions();
        Cell { program, strategy, total: total.len(), fair: seen.len(), missed, executions, complete }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { program, strategy, total, fair, missed, executions, complete } = self;
        let star = if *complete { "" } else { "*" };
        write!(f, "| {program} | {strategy} | {total} | {fair}{star} | {missed} | {executions} |")
    }
}

pub const HEAD: &str = "\
| program | search | total states | with fairness | missed | executions |
|---|---|--:|--:|--:|--:|";
