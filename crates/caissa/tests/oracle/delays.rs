//! All executions within a number of delays.
//!
//! Main is given to the scheduler as a new task. At each point `take` proposes a task; it is run, or
//! delayed and the next one taken. Choosing a task costs the number of delays until it first comes up at
//! that point; once a task comes up again the point has no further alternatives. After a step the
//! spawned task, if any, is given first, then the task that made the step unless it has finished.

use super::cost::Cost;
use super::explore::{Execution, LimitExceeded};
use super::interpret::{Action, Machine, Step};
use super::program::{Instr, Program, Task};
use super::schedulers::Scheduler;

/// How a delay-bounded exploration ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Complete executions; each was visited.
    pub executions: u64,
    /// Executions given up because a blocked task was taken and run. Only a scheduler that does not skip
    /// has them.
    pub discarded: u64,
}

/// Visits once every execution of at most `bound` delays under the scheduler, which must be empty.
/// Discarded executions count against the limit.
pub fn explore_delays<S: Scheduler>(
    program: &Program,
    mut scheduler: S,
    bound: usize,
    limit: u64,
    visit: impl FnMut(&Execution),
) -> Result<Tally, LimitExceeded> {
    scheduler.give_new(0);
    let mut search = Search { machine: Machine::new(program), bound, limit, tally: Tally::default(), visit };
    search.point(scheduler, 0, Cost::default())?;
    Ok(search.tally)
}

/// The delays that a schedule (one decision per step), complete or not, costs the scheduler, which must be
/// empty. None if the schedule chooses a task that is not enabled or never comes up.
pub fn delays_of<S: Scheduler>(program: &Program, mut scheduler: S, schedule: &[Task]) -> Option<usize> {
    scheduler.give_new(0);
    let mut machine = Machine::new(program);
    let mut delays = 0;
    for &task in schedule {
        if let Some((_, count)) = machine.choice() {
            if task >= count {
                return None;
            }
            machine.choose(task);
            continue;
        }
        let mut seen = vec![false; program.tasks.len()];
        loop {
            let taken = scheduler.take(|task| !machine.enabled(task))?;
            if taken == task {
                break;
            }
            if std::mem::replace(&mut seen[taken], true) {
                return None;
            }
            scheduler.delay(taken);
            delays += 1;
        }
        if !machine.enabled(task) {
            return None;
        }
        let step = machine.step(task);
        give_back(&mut scheduler, step);
    }
    Some(delays)
}

/// Tells the scheduler what a step has left pending.
fn give_back(scheduler: &mut impl Scheduler, step: Step) {
    if let Action::Instr(Instr::Spawn(child)) = step.action {
        scheduler.give_new(child);
    }
    if step.action != Action::End {
        scheduler.give_yielding(step.task);
    }
}

struct Search<'p, V> {
    machine: Machine<'p>,
    bound: usize,
    limit: u64,
    tally: Tally,
    visit: V,
}

impl<V: FnMut(&Execution)> Search<'_, V> {
    fn point<S: Scheduler>(
        &mut self,
        mut scheduler: S,
        delays: usize,
        cost: Cost,
    ) -> Result<(), LimitExceeded> {
        if let Some((_, count)) = self.machine.choice() {
            for value in 0..count {
                self.machine.choose(value);
                self.point(scheduler.clone(), delays, cost)?;
                self.machine.undo();
            }
            return Ok(());
        }
        let Some(mut taken) = scheduler.take(|task| !self.machine.enabled(task)) else {
            return self.leaf(delays, cost);
        };
        let mut seen = vec![false; self.machine.program().tasks.len()];
        let mut delays = delays;
        loop {
            if std::mem::replace(&mut seen[taken], true) {
                return Ok(());
            }
            if self.machine.enabled(taken) {
                let cost = cost.choosing(&self.machine, taken);
                let step = self.machine.step(taken);
                let mut next = scheduler.clone();
                give_back(&mut next, step);
                self.point(next, delays, cost)?;
                self.machine.undo();
            } else {
                self.count()?;
                self.tally.discarded += 1;
            }
            if delays == self.bound {
                return Ok(());
            }
            delays += 1;
            scheduler.delay(taken);
            taken = scheduler
                .take(|task| !self.machine.enabled(task))
                .expect("what was just delayed is pending, and as enabled as before");
        }
    }

    /// Makes sure that one more execution is allowed.
    fn count(&self) -> Result<(), LimitExceeded> {
        if self.tally.executions + self.tally.discarded == self.limit {
            return Err(LimitExceeded);
        }
        Ok(())
    }

    fn leaf(&mut self, delays: usize, cost: Cost) -> Result<(), LimitExceeded> {
        self.count()?;
        self.tally.executions += 1;
        self.machine.close();
        (self.visit)(&Execution {
            steps: self.machine.steps(),
            outcome: self.machine.outcome(),
            cost,
            delays: Some(delays),
        });
        self.machine.reopen();
        Ok(())
    }
}
