//! Faults: what an operation may do for no reason that lies in the program.
//!
//! A fault is a data choice between no and yes (docs/semantics.md, "Faults"). It costs nothing of the search's own cost; an
//! execution has a budget of them, and once that is spent the question is not asked and is no step. No is the default, so
//! that an execution without choices has no faults.

use super::{Execution, Source};
use crate::guide::Random;
use crate::op::Op;
use crate::trace::Note;

/// A random walk has a fault once in so many questions.
const ODDS: u32 = 16;

/// Tells a replayed fault from another data choice.
const SALT: u64 = 0xfa_0175;

impl Execution {
    /// Whether a fault is still possible in this execution.
    #[inline]
    pub fn may_fault(&self) -> bool {
        self.faults_left > 0
    }

    /// Whether this fault of the running task happens. `None` if the execution is over.
    ///
    /// The class sees only a fault that happens: asking and saying no changes nothing.
    pub fn fault(&mut self, op: Op, source: Source) -> Option<bool> {
        if self.faults_left == 0 {
            return Some(false);
        }
        let draw = |random: &mut Random| (random.below(ODDS) == 0) as u32;
        let happens = self.decide_value((op, source), 2, SALT, draw)? == 1;
        self.record_value(op, Note::Tried(happens), happens as u32, source);
        self.step += 1;
        if happens {
            self.faults_left -= 1;
            if self.classes {
                self.tasks[self.current.index()].past.absorb(SALT ^ op.kind as u64);
            }
        }
        self.refuel_within_step();
        Some(happens)
    }
}
