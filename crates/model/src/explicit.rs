//! explicit: all states of a model, each expanded once.
//!
//! A state is a configuration at a point. From there every task that the rules let go on does, and every value of a choice is
//! taken, up to the next point. Iterative context bounding with a table of states (PLDI'07, Algorithm 1): the states that can be
//! reached with c preemptions are all expanded before any that needs c + 1; transitions that cost one are kept for the next bound. Under
//! a bound a state also says which task came to the point, for leaving that one costs.
//!
//! It shares the machine, costs, findings and traces with `exec`, but no jobs: a finding is a path of states, which is turned into
//! choices (`path`) and replayed by `exec` before anyone sees it.

mod barrier;
mod compact;
mod delaying;
mod liveness;
mod memo;
mod node;
mod path;
mod reached;
mod records;
mod rounds;
mod search;
mod states;
mod table;
mod tasks;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64};

use caissa_core::Choice;

use crate::code::Fault;

/// In which order states are expanded, and what bounds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Breadth first: a bug is found by as few segments as possible.
    BreadthFirst,
    /// The newest state first; by one worker.
    DepthFirst,
    /// Bounds 0, 1, 2, ... on preemptions, up to this one if there is one.
    Preemptions(Option<u32>),
    /// The same on delays of a scheduler, for a program with one buffer and one level.
    Delays(Delaying, Option<u32>),
}

/// How to explore.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The order.
    pub order: Order,
    /// How many threads.
    pub workers: u32,
    /// As much memory as states may take, in bytes.
    pub memory: u64,
    /// States that are expanded at most.
    pub max_states: u64,
    /// Only fingerprints of states are kept, if the order is breadth first. See [`collision_odds`].
    pub compact: bool,
    /// Executions without end are looked for, where all states are explored.
    pub liveness: bool,
    /// Goes on after a bug and notes every end, in [`Explored::census`]. For tests; not depth first.
    #[doc(hidden)]
    pub census: bool,
    /// Levels with fewer states are one worker's: the others are not worth waking. For tests, which want them to work.
    #[doc(hidden)]
    pub few_states: u64,
    /// What tasks do is worked out each time and never looked up. For tests, which compare.
    #[doc(hidden)]
    pub interprets: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            order: Order::BreadthFirst,
            workers: 1,
            memory: 4 << 30,
            max_states: u64::MAX,
            compact: false,
            liveness: true,
            census: false,
            few_states: 256,
            interprets: false,
        }
    }
}

/// How far an exploration has come, for whoever watches it; and a way to end it.
#[derive(Debug, Default)]
pub struct Watched {
    /// States so far.
    pub states: AtomicU64,
    /// Transitions so far.
    pub transitions: AtomicU64,
    /// The present bound.
    pub bound: AtomicU64,
    /// Set from outside: no more states are expanded.
    pub stop: AtomicBool,
}

/// What is wrong in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A task did something wrong on the way to its next point, or a final condition does not hold.
    Fault(Fault),
    /// Tasks are left and none can go on.
    Deadlock,
    /// A task runs for ever without a point.
    Spins,
    /// Tasks go round for ever, all that can; all of them pause.
    Livelock,
    /// Tasks go round for ever, all that can; one of them never pauses.
    GoodSamaritan,
}

/// A finding: what is wrong, and how to get there.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is wrong.
    pub wrong: Wrong,
    /// What it costs, if the order is by costs: the least.
    pub spent: Option<u32>,
    /// The choices that lead there, for a job of one execution without fairness.
    pub choices: Vec<Choice>,
    /// Segments on the way.
    pub depth: u32,
    /// The steps that are taken again and again, if it has no end: the first of the first round, and of the second.
    pub repeat: Option<(u32, u32)>,
}

/// What a bound has added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundStates {
    /// The bound.
    pub bound: u32,
    /// States that need as much.
    pub states: u64,
    /// All of them were expanded.
    pub complete: bool,
}

/// Why an exploration ended before all states were expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The limit of memory was met.
    Memory,
    /// The limit of states was met.
    States,
    /// It was asked to.
    Asked,
}

/// What came of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Different states.
    pub states: u64,
    /// Segments that were executed.
    pub transitions: u64,
    /// Different tasks.
    pub tasks: u64,
    /// Bytes of the states themselves, with the states they were reached from.
    pub state_bytes: u64,
    /// Bytes of memory for states and tables.
    pub bytes: u64,
    /// By bound, if there is one.
    pub bounds: Vec<BoundStates>,
    /// Every state was expanded, whatever it costs.
    pub complete: bool,
    /// Some execution goes on for very long without a point and was not followed.
    pub long: bool,
    /// Why it ended early.
    pub ended: Option<Ended>,
    /// Whether executions without end were looked for.
    pub liveness: bool,
    /// What was found.
    pub found: Option<Found>,
    /// All ends, if they are asked for.
    #[doc(hidden)]
    pub census: Census,
}

/// Every way in which executions end, with the least bound.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Global slots where all tasks have ended, also if a final condition does not hold then.
    pub terminated: Vec<(u32, Vec<i32>)>,
    /// What is wrong.
    pub wrong: Vec<(u32, Wrong)>,
}

pub use compact::collision_odds;
pub use delaying::Delaying;
pub use rounds::{Rounds, explore_rounds};
pub use search::explore;
