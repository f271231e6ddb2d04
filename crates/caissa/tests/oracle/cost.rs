//! Preemptions and contexts.
//!
//! Preemptions are NP of "Iterative Context Bounding for Systematic Testing of Multithreaded Programs"
//! (PLDI 2007), appendix A.1: leaving a task that is still enabled costs 1, also where its last step was
//! a yield; leaving one that is blocked or has finished is free. Contexts count every change of task.
//! The first step costs nothing, nor do data choices.

use super::interpret::Machine;
use super::program::{Program, Task};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost {
    pub preemptions: usize,
    pub contexts: usize,
}

impl Cost {
    /// The cost with `next` chosen in the machine's present state.
    pub fn choosing(self, machine: &Machine, next: Task) -> Cost {
        match machine.last() {
            Some(last) if last != next => Cost {
                preemptions: self.preemptions + usize::from(machine.enabled(last)),
                contexts: self.contexts + 1,
            },
            _ => self,
        }
    }
}

/// The cost of a schedule (one decision per step), complete or not. None if it chooses a task that is not
/// enabled.
pub fn cost_of(program: &Program, schedule: &[Task]) -> Option<Cost> {
    let mut machine = Machine::new(program);
    let mut cost = Cost::default();
    for &task in schedule {
        if let Some((_, count)) = machine.choice() {
            if task >= count {
                return None;
            }
            machine.choose(task);
            continue;
        }
        if task >= program.tasks.len() || !machine.enabled(task) {
            return None;
        }
        cost = cost.choosing(&machine, task);
        machine.step(task);
    }
    Some(cost)
}
