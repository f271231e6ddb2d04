//! POS: partial order sampling (Yuan, Yang, Gu, CAV 2018, section 3).
//!
//! Every pending operation has a random priority of its own; the enabled one with the highest runs. Then those pending
//! operations that conflict with it draw again, and so does the next operation of the task that ran. Two operations are
//! so ordered by draws of their own wherever the order matters.
//!
//! Deviation: operations that are not enabled do not draw again. What disabled them conflicts with them, so they drew
//! then, and nothing has been compared with that draw since.
//!
//! Not seen: a wait releases its mutex too; it conflicts only with operations on its condvar.

use alloc::vec::Vec;

use super::{Point, Random};
use crate::task::TaskId;

/// POS with its state.
#[derive(Clone, Debug)]
pub struct Pos {
    pub(super) random: Random,
    /// The priority of each task's pending operation, by task.
    priorities: Vec<u64>,
}

impl Pos {
    /// POS with this seed.
    pub fn new(seed: u64) -> Pos {
        let mut pos = Pos { random: Random::new(seed), priorities: Vec::new() };
        pos.reset(seed);
        pos
    }

    pub(super) fn reset(&mut self, seed: u64) {
        self.random = Random::new(seed);
        self.priorities.clear();
        self.spawned(TaskId::MAIN);
    }

    pub(super) fn spawned(&mut self, task: TaskId) {
        debug_assert_eq!(task.index(), self.priorities.len());
        self.priorities.push(self.random.next_u64());
    }

    pub(super) fn at(&mut self, point: &Point<'_>) -> TaskId {
        // Such points may also pass without a decision. The priority of its operation was never compared.
        if point.last_enabled && point.enabled.len() == 1 {
            return point.last;
        }
        let tasks = point.enabled.iter();
        let task =
            tasks.max_by_key(|task| self.priorities[task.index()]).expect("a point has an enabled task");
        let op = point.pending[task.index()].op;
        for other in point.enabled {
            if other == task || point.pending[other.index()].op.conflicts_with(&op) {
                self.priorities[other.index()] = self.random.next_u64();
            }
        }
        task
    }
}
