//! The searches and their names.

use std::str::FromStr;

use caissa_core::Cost;
use caissa_search::Policy;

/// Which executions are run, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// By the number of preemptions: 0, then 1, ... up to the bound (default 2).
    Preemptions,
    /// By the number of delays of a delaying scheduler, up to the bound (default 2).
    Delays,
    /// By the number of changes of task, up to the bound (default 4).
    Contexts,
    /// By the number of points at which there may be a choice, up to the bound (default 20).
    Depth,
    /// Every schedule, depth first.
    Dfs,
    /// Samples: at every point each enabled task is as likely as any other.
    Random,
    /// Samples by PCT: random priorities that change at a few random steps (`pct_depth`).
    Pct,
    /// Samples by POS: a random priority for each operation, drawn again after a conflicting one.
    Pos,
    /// Samples by SURW: uniform over the interleavings of the operations on one object, chosen anew for each execution.
    Surw,
    /// A mix, divided by executions: preemption bounds up to the bound (default 2) first; once they have had 1,000 executions,
    /// or a quarter of a smaller budget, also delay bounds, an unbounded part and samples of each kind.
    Auto,
}

impl Search {
    /// Every search, with its name.
    pub const ALL: [(&'static str, Search); 10] = [
        ("auto", Search::Auto),
        ("preemptions", Search::Preemptions),
        ("delays", Search::Delays),
        ("contexts", Search::Contexts),
        ("depth", Search::Depth),
        ("dfs", Search::Dfs),
        ("random", Search::Random),
        ("pct", Search::Pct),
        ("pos", Search::Pos),
        ("surw", Search::Surw),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Search::ALL.iter().find(|(_, search)| *search == self).expect("every search is listed").0
    }

    /// How it draws executions, if it does nothing else.
    pub fn policy(self) -> Option<Policy> {
        match self {
            Search::Random => Some(Policy::Random),
            Search::Pct => Some(Policy::Pct),
            Search::Pos => Some(Policy::Pos),
            Search::Surw => Some(Policy::Surw),
            _ => None,
        }
    }

    /// What a choice costs in this search, and by what its findings are made small.
    pub fn cost(self) -> Cost {
        match self {
            Search::Preemptions | Search::Auto => Cost::Preemptions,
            Search::Random | Search::Pct | Search::Pos | Search::Surw => Cost::Preemptions,
            Search::Delays => Cost::Delays,
            Search::Contexts => Cost::Contexts,
            Search::Depth => Cost::Depth,
            Search::Dfs => Cost::Free,
        }
    }

    pub(super) fn default_bound(self) -> Option<u32> {
        match self {
            Search::Preemptions | Search::Delays | Search::Auto => Some(2),
            Search::Contexts => Some(4),
            Search::Depth => Some(20),
            Search::Dfs | Search::Random | Search::Pct | Search::Pos | Search::Surw => None,
        }
    }
}

impl FromStr for Search {
    type Err = ();
    fn from_str(text: &str) -> Result<Search, ()> {
        Search::ALL.iter().find(|(name, _)| *name == text).map(|&(_, search)| search).ok_or(())
    }
}
