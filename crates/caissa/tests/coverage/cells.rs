//! The cells of the fairness paper's Table 2 (Musuvathi and Qadeer, PLDI 2008, section 4.2.1): how many states an exhaustive
//! search with stored states finds, and how many of them the fair stateless search comes to.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use caissa::{Builder, Report, Search, Verdict};

use super::explorer::{Model, states_by_bound};
use super::fair::Fair;
use super::patience::Patience;
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
    Patience(Patience),
}

/// Does the same with whatever model it is.
macro_rules! for_model {
    ($program:expr, $model:ident => $what:expr) => {
        match $program {
            Program::Philosophers($model) => $what,
            Program::WorkStealing($model) => $what,
            Program::Patience($model) => $what,
        }
    };
}

impl Program {
    pub fn philosophers(count: usize, manners: Manners) -> Program {
        Program::Philosophers(Philosophers { count, manners })
    }

    pub fn queue(thieves: usize, items: u8) -> Program {
        Program::WorkStealing(WorkStealing { thieves, items, stubborn: false })
    }

    pub fn stubborn_queue(thieves: usize, items: u8) -> Program {
        Program::WorkStealing(WorkStealing { thieves, items, stubborn: true })
    }

    /// All states that can be reached with at most so many preemptions, or with any number.
    pub fn states(self, strategy: Strategy) -> BTreeSet<u64> {
        let mut bounds = for_model!(self, model => states_by_bound(&model));
        let last = bounds.len() - 1;
        bounds.swap_remove(strategy.bound().map_or(last, |bound| last.min(bound as usize)))
    }

    /// The states that fair executions of the model come to, and how many of these there are.
    pub fn fair(self, strategy: Strategy, k: u8) -> (BTreeSet<u64>, u128) {
        fn explore(model: &impl Model, bound: Option<u32>, k: u8) -> (BTreeSet<u64>, u128) {
            let fair = Fair::explore(model, bound, k);
            (fair.states, fair.executions)
        }
        for_model!(self, model => explore(&model, strategy.bound(), k))
    }

    /// Explores the real program.
    pub fn explore(self, builder: Builder) -> (Report, BTreeSet<u64>) {
        let seen = Seen::default();
        let report = for_model!(self, model => builder.explore(model.program(seen.clone())));
        (report.expect("a check that makes sense"), seen.take())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
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
                let (a, b) = (s(thieves), s(usize::from(items)));
                let stubborn = if stubborn { "stubborn " } else { "" };
                write!(f, "queue, {thieves} {stubborn}stealer{a}, {items} item{b}")
            }
            Program::Patience(Patience { yields }) => write!(f, "patience, {yields} yields"),
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

    fn bound(self) -> Option<u32> {
        match self {
            Strategy::Preemptions(bound) => Some(bound),
            Strategy::Dfs => None,
        }
    }

    fn builder(self) -> Builder {
        let builder = Builder::new().faults(0).classes(false);
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
    /// Fair executions that there are, by the model; `u128::MAX` if more than that.
    pub expected: u128,
    /// The fair search came to its end.
    pub complete: bool,
}

impl Cell {
    /// Measures a cell, with every k-th yield and at most so many executions. What a search that came to its end has seen and
    /// done must be exactly what the model of the fair search says.
    pub fn measure(program: Program, strategy: Strategy, k: u8, budget: u64) -> Cell {
        let total = program.states(strategy);
        let (expected_states, expected) = program.fair(strategy, k);
        // Where the budget ends a search, two workers may come to other executions than one.
        let workers = if expected <= u128::from(budget) { 2 } else { 1 };
        let builder = strategy.builder().fair_k(k.into()).max_executions(budget).workers(workers);
        let (report, seen) = program.explore(builder);
        let complete = match report.verdict {
            Verdict::Verified | Verdict::Bounded => true,
            Verdict::Incomplete => false,
            Verdict::Bug | Verdict::Diverged => panic!("{program}, {strategy}: {report}"),
        };
        assert_eq!(report.states(), Some(seen.len() as u64), "what was shown was counted: {report}");
        assert_eq!(complete, expected <= u128::from(budget), "{program}, {strategy}: {report}");
        assert_eq!(u128::from(report.executions()), expected.min(budget.into()), "{program}, {strategy}");
        assert!(seen.is_subset(&expected_states), "{program}, {strategy}");
        assert!(!complete || seen == expected_states, "{program}, {strategy}");
        let missed = total.difference(&seen).count();
        let (total, fair, executions) = (total.len(), seen.len(), report.executions());
        Cell { program, strategy, total, fair, missed, executions, expected, complete }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { program, strategy, total, fair, missed, executions, expected, complete } = self;
        write!(f, "| {program} | {strategy} | {total} | {fair}{} |", if *complete { "" } else { "*" })?;
        write!(f, " {missed} | {executions}")?;
        match expected {
            _ if *complete => f.write_str(" |"),
            &u128::MAX => f.write_str(" of more than 10^38 |"),
            expected => write!(f, " of {expected} |"),
        }
    }
}

/// The head of a table of cells. A star marks a search that the budget ended.
pub const HEAD: &str = "\
| program | search | total states | with fairness | missed | executions |
|---|---|--:|--:|--:|--:|";
