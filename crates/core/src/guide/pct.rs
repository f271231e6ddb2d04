//! PCT: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010, section 3).
//!
//! Every task has a random priority; the enabled task with the highest one runs. At d-1 random steps, the change points,
//! the task that would run drops below all others. A bug of depth d is hit with a probability of at least 1/(n k^(d-1)),
//! for n tasks and k steps.
//!
//! Deviations: a task draws its priority when it is created, which gives the same uniform order as drawing all at once. A
//! task that yields drops below all others, or a loop that polls would run for ever. The number of steps is an estimate:
//! change points beyond the end of an execution do nothing.
//!
//! Not seen: a task with the highest priority that polls without yielding keeps the others from running.

use alloc::vec::Vec;

use super::{Point, Random};
use crate::task::TaskId;

/// Priorities of tasks that have not dropped lie above this.
const UNTOUCHED: u64 = 1 << 63;
/// The priority that change point i gives lies i above this.
const CHANGED: u64 = 1 << 32;

/// PCT with its state.
#[derive(Clone, Debug)]
pub struct Pct {
    pub(super) random: Random,
    depth: u32,
    /// The expected number of steps, at least 1.
    steps: u32,
    /// By task; higher runs first.
    priorities: Vec<u64>,
    /// The step of each change point and the priority that it gives, by ascending step.
    changes: Vec<(u32, u64)>,
    /// The first change point that has not come.
    next: usize,
    /// How often a task has dropped by yielding.
    yields: u64,
}

impl Pct {
    /// PCT for bugs of this depth, in executions of about so many steps.
    pub fn new(seed: u64, depth: u32, steps: u32) -> Pct {
        let random = Random::new(seed);
        let mut pct = Pct {
            random,
            depth,
            steps: steps.max(1),
            priorities: Vec::new(),
            changes: Vec::new(),
            next: 0,
            yields: 0,
        };
        pct.reset(seed);
        pct
    }

    pub(super) fn reset(&mut self, seed: u64) {
        self.random = Random::new(seed);
        self.priorities.clear();
        self.changes.clear();
        self.next = 0;
        self.yields = 0;
        for i in 1..self.depth {
            let step = self.random.below(self.steps);
            self.changes.push((step, CHANGED + i as u64));
        }
        self.changes.sort_unstable();
        self.spawned(TaskId::MAIN);
    }

    pub(super) fn spawned(&mut self, task: TaskId) {
        debug_assert_eq!(task.index(), self.priorities.len());
        self.priorities.push(self.random.next_u64() | UNTOUCHED);
    }

    pub(super) fn at(&mut self, point: &Point<'_>) -> TaskId {
        // Change points among steps that passed without a decision: the task that took them was alone.
        while self.changes.get(self.next).is_some_and(|change| change.0 < point.step) {
            self.change(point.last);
        }
        let mut task = self.highest(point);
        while self.changes.get(self.next).is_some_and(|change| change.0 == point.step) {
            self.change(task);
            task = self.highest(point);
        }
        // Alone, it makes no difference; and such points may pass without a decision.
        if point.enabled.len() > 1 && point.pending[task.index()].op.kind.is_yield() {
            self.yields += 1;
            self.priorities[task.index()] = CHANGED - self.yields;
        }
        task
    }

    fn change(&mut self, task: TaskId) {
        self.priorities[task.index()] = self.changes[self.next].1;
        self.next += 1;
    }

    fn highest(&self, point: &Point<'_>) -> TaskId {
        let tasks = point.enabled.iter();
        tasks.max_by_key(|task| self.priorities[task.index()]).expect("a point has an enabled task")
    }
}
