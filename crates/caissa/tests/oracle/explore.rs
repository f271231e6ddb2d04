//! All interleavings of a program: at each point every enabled task is tried, without any reduction.

use super::classes::Class;
use super::cost::{Cost, cost_of};
use super::interpret::{Action, Machine, Outcome, Step};
use super::program::{Program, Task};

/// One complete execution.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    pub steps: &'a [Step],
    pub outcome: &'a Outcome,
    pub cost: Cost,
    /// What the execution costs the delaying scheduler that produced it; None from an exploration
    /// without one.
    pub delays: Option<usize>,
}

impl Execution<'_> {
    /// What was decided at each step: the task that made it, or the value of a data choice.
    pub fn schedule(&self) -> Vec<Task> {
        let decision = |step: &Step| match step.action {
            Action::Choice(value) => value,
            _ => step.task,
        };
        self.steps.iter().map(decision).collect()
    }

    pub fn class(&self) -> Class {
        Class::of(self.outcome.logs.len(), self.steps)
    }
}

/// The exploration met more executions than it was allowed; the visitor has seen some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded;

/// Which executions an exploration is confined to. Both costs only grow along an execution, so that
/// leaving a prefix whose cost is too great loses no execution within the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    None,
    Preemptions(usize),
    Contexts(usize),
}

impl Bound {
    fn admits(self, cost: Cost) -> bool {
        match self {
            Bound::None => true,
            Bound::Preemptions(most) => cost.preemptions <= most,
            Bound::Contexts(most) => cost.contexts <= most,
        }
    }
}

/// Visits every execution once, in the lexicographic order of schedules, and returns their number.
pub fn explore_all(
    program: &Program,
    limit: u64,
    visit: impl FnMut(&Execution),
) -> Result<u64, LimitExceeded> {
    explore_within(program, Bound::None, limit, visit)
}

/// As `explore_all`, but only the executions within the bound.
pub fn explore_within(
    program: &Program,
    bound: Bound,
    limit: u64,
    visit: impl FnMut(&Execution),
) -> Result<u64, LimitExceeded> {
    let mut search = Search { machine: Machine::new(program), bound, limit, executions: 0, visit };
    search.point(Cost::default())?;
    Ok(search.executions)
}

/// Runs one schedule (one decision per step). None if it chooses a task that is not enabled, or is not
/// complete.
pub fn replay<R>(program: &Program, schedule: &[Task], visit: impl FnOnce(&Execution) -> R) -> Option<R> {
    let cost = cost_of(program, schedule)?;
    let mut machine = Machine::new(program);
    for &decision in schedule {
        match machine.choice() {
            Some(_) => machine.choose(decision),
            None => machine.step(decision),
        };
    }
    if !machine.complete() {
        return None;
    }
    machine.close();
    Some(visit(&Execution { steps: machine.steps(), outcome: machine.outcome(), cost, delays: None }))
}

struct Search<'p, V> {
    machine: Machine<'p>,
    bound: Bound,
    limit: u64,
    executions: u64,
    visit: V,
}

impl<V: FnMut(&Execution)> Search<'_, V> {
    fn point(&mut self, cost: Cost) -> Result<(), LimitExceeded> {
        if let Some((_, count)) = self.machine.choice() {
            for value in 0..count {
                self.machine.choose(value);
                self.point(cost)?;
                self.machine.undo();
            }
            return Ok(());
        }
        let mut complete = true;
        for task in 0..self.machine.program().tasks.len() {
            if !self.machine.enabled(task) {
                continue;
            }
            complete = false;
            let cost = cost.choosing(&self.machine, task);
            if self.bound.admits(cost) {
                self.machine.step(task);
                self.point(cost)?;
                self.machine.undo();
            }
        }
        if complete { self.leaf(cost) } else { Ok(()) }
    }

    fn leaf(&mut self, cost: Cost) -> Result<(), LimitExceeded> {
        if self.executions == self.limit {
            return Err(LimitExceeded);
        }
        self.executions += 1;
        self.machine.close();
        (self.visit)(&Execution {
            steps: self.machine.steps(),
            outcome: self.machine.outcome(),
            cost,
            delays: None,
        });
        self.machine.reopen();
        Ok(())
    }
}
