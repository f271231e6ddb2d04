//! The delaying schedulers of "Delay-Bounded Scheduling" (POPL 2011), section 3, transcribed.
//!
//! A scheduler object holds the pending tasks. `give` hands it a task, `take` gets one back, `delay`
//! hands back the one just taken and thereby postpones it. `DepthFirst` is Scheduler 4 to the letter and
//! may take a blocked task; `SkippingDepthFirst` deviates from it in `take` alone.

use super::program::Task;

pub trait Scheduler: Clone {
    /// Hands over a task that has not run yet.
    fn give_new(&mut self, task: Task);

    /// Hands over a task that has run and can run on.
    fn give_yielding(&mut self, task: Task);

    /// The task to run now; None if nothing is schedulable.
    fn take(&mut self, blocked: impl Fn(Task) -> bool) -> Option<Task>;

    /// Postpones the task just taken.
    fn delay(&mut self, task: Task);
}

/// Scheduler 3.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundRobin {
    m: Vec<Task>,
    /// At most the length of `m`; read modulo that length at `take`, for the task that stood last may
    /// have ended.
    i: usize,
}

impl Scheduler for RoundRobin {
    fn give_new(&mut self, task: Task) {
        self.m.push(task);
    }

    fn give_yielding(&mut self, task: Task) {
        self.m.insert(self.i, task);
    }

    fn take(&mut self, blocked: impl Fn(Task) -> bool) -> Option<Task> {
        if self.m.iter().all(|&task| blocked(task)) {
            return None;
        }
        self.i %= self.m.len();
        while blocked(self.m[self.i]) {
            self.i = (self.i + 1) % self.m.len();
        }
        Some(self.m.remove(self.i))
    }

    fn delay(&mut self, task: Task) {
        self.m.insert(self.i, task);
        self.i = (self.i + 1) % self.m.len();
    }
}

/// The three stacks of Scheduler 4; the last element is the top.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Stacks {
    handler: Vec<Task>,
    round: Vec<Task>,
    delay: Vec<Task>,
}

/// Pops one stack onto the other until it is empty.
fn empty_into(from: &mut Vec<Task>, to: &mut Vec<Task>) {
    while let Some(task) = from.pop() {
        to.push(task);
    }
}

/// Scheduler 4. It pays no heed to blocked tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DepthFirst(Stacks);

impl Scheduler for DepthFirst {
    fn give_new(&mut self, task: Task) {
        self.0.handler.push(task);
    }

    fn give_yielding(&mut self, task: Task) {
        self.0.handler.push(task);
    }

    fn take(&mut self, _blocked: impl Fn(Task) -> bool) -> Option<Task> {
        let q = &mut self.0;
        empty_into(&mut q.handler, &mut q.round);
        if q.round.is_empty() {
            empty_into(&mut q.delay, &mut q.round);
        }
        q.round.pop()
    }

    fn delay(&mut self, task: Task) {
        self.0.delay.push(task);
    }
}

/// Scheduler 4 with another `take`: it scans the round stack from the top for a task that is not
/// blocked; those it skips keep their places. If there is none, it empties the delay stack onto the
/// round stack and scans again.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkippingDepthFirst(Stacks);

impl Scheduler for SkippingDepthFirst {
    fn give_new(&mut self, task: Task) {
        self.0.handler.push(task);
    }

    fn give_yielding(&mut self, task: Task) {
        self.0.handler.push(task);
    }

    fn take(&mut self, blocked: impl Fn(Task) -> bool) -> Option<Task> {
        let q = &mut self.0;
        let scan = |round: &mut Vec<Task>| {
            let at = round.iter().rposition(|&task| !blocked(task))?;
            Some(round.remove(at))
        };
        empty_into(&mut q.handler, &mut q.round);
        scan(&mut q.round).or_else(|| {
            empty_into(&mut q.delay, &mut q.round);
            scan(&mut q.round)
        })
    }

    fn delay(&mut self, task: Task) {
        self.0.delay.push(task);
    }
}
