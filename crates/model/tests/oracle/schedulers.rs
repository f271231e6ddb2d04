//! The schedulers of the 2011 paper: the bag, and the delaying ones of section 3, which pass over blocked tasks.
//!
//! A scheduler object holds the pending tasks themselves. The cost of dispatching a task is, for the bag, 1 if another one has just
//! yielded; for a delaying scheduler the number of delays after which the task comes up for the first time.

/// A task, as far as a scheduler is concerned.
pub trait Pending: Clone {
    /// Different for any two tasks of an execution.
    fn id(&self) -> usize;
}

/// A scheduler object.
pub trait Scheduler<W: Pending>: Clone + Default {
    /// Receives a posted task, or one that yields or is blocked: that is not fresh.
    fn give(&mut self, task: W, fresh: bool);

    /// Every task that can be dispatched, with the object that is left and the cost. `yielded` has just yielded.
    fn dispatch(&self, yielded: Option<usize>, blocked: &dyn Fn(&W) -> bool) -> Vec<(Self, W, u32)>;

    /// Nothing is pending.
    fn is_empty(&self) -> bool;
}

/// Scheduler 1.
#[derive(Clone, Debug)]
pub struct Bag<W>(Vec<W>);

impl<W> Default for Bag<W> {
    fn default() -> Self {
        Bag(vec![])
    }
}

impl<W: Pending> Scheduler<W> for Bag<W> {
    fn give(&mut self, task: W, _fresh: bool) {
        self.0.push(task);
    }

    fn dispatch(&self, yielded: Option<usize>, blocked: &dyn Fn(&W) -> bool) -> Vec<(Self, W, u32)> {
        let mut all = vec![];
        for (i, task) in self.0.iter().enumerate() {
            if !blocked(task) {
                let mut rest = self.clone();
                rest.0.remove(i);
                all.push((rest, task.clone(), u32::from(yielded.is_some_and(|id| id != task.id()))));
            }
        }
        all
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a delaying scheduler adds: it takes one task only, and can postpone it.
pub trait Delaying<W: Pending>: Clone + Default {
    fn give(&mut self, task: W, fresh: bool);
    fn take(&mut self, blocked: &dyn Fn(&W) -> bool) -> Option<W>;
    fn delay(&mut self, task: W);
    /// All that are pending.
    fn tasks(&self) -> Vec<W>;
}

/// The semantics with the rule DELAY, for one dispatch: takes and delays until everything that is not blocked has come up.
#[derive(Clone, Debug, Default)]
pub struct WithDelays<D>(D);

impl<W: Pending, D: Delaying<W>> Scheduler<W> for WithDelays<D> {
    fn give(&mut self, task: W, fresh: bool) {
        self.0.give(task, fresh);
    }

    fn dispatch(&self, _yielded: Option<usize>, blocked: &dyn Fn(&W) -> bool) -> Vec<(Self, W, u32)> {
        let wanted = self.0.tasks().iter().filter(|task| !blocked(task)).count();
        let mut all: Vec<(Self, W, u32)> = vec![];
        let mut object = self.0.clone();
        let mut delays = 0;
        while all.len() < wanted {
            let task = object.take(blocked).expect("the scheduler is lossless");
            assert!(!blocked(&task), "the scheduler is non-blocking");
            if all.iter().all(|(_, seen, _)| seen.id() != task.id()) {
                all.push((WithDelays(object.clone()), task.clone(), delays));
            }
            object.delay(task);
            delays += 1;
            assert!(delays <= 8 * wanted as u32, "the scheduler is delay-accessible");
        }
        all
    }

    fn is_empty(&self) -> bool {
        self.0.tasks().is_empty()
    }
}

/// Scheduler 3, with `i` read modulo `|m|` where a task is taken.
#[derive(Clone, Debug)]
pub struct RoundRobin<W> {
    m: Vec<W>,
    i: usize,
}

impl<W> Default for RoundRobin<W> {
    fn default() -> Self {
        RoundRobin { m: vec![], i: 0 }
    }
}

impl<W: Pending> Delaying<W> for RoundRobin<W> {
    fn give(&mut self, task: W, fresh: bool) {
        if fresh {
            self.m.push(task);
        } else {
            self.m.insert(self.i, task);
        }
    }

    fn take(&mut self, blocked: &dyn Fn(&W) -> bool) -> Option<W> {
        if self.m.iter().all(blocked) {
            return None;
        }
        self.i %= self.m.len();
        while blocked(&self.m[self.i]) {
            self.i = (self.i + 1) % self.m.len();
        }
        Some(self.m.remove(self.i))
    }

    fn delay(&mut self, task: W) {
        self.m.insert(self.i, task);
        self.i = (self.i + 1) % self.m.len();
    }

    fn tasks(&self) -> Vec<W> {
        self.m.clone()
    }
}

/// Scheduler 4 made non-blocking: `take` scans the round-stack from the top for a task that is not blocked; if there is none, the next
/// round begins above what is left of this one.
#[derive(Clone, Debug)]
pub struct DepthFirst<W> {
    handlers: Vec<W>,
    round: Vec<W>,
    delayed: Vec<W>,
}

impl<W> Default for DepthFirst<W> {
    fn default() -> Self {
        DepthFirst { handlers: vec![], round: vec![], delayed: vec![] }
    }
}

impl<W: Pending> Delaying<W> for DepthFirst<W> {
    fn give(&mut self, task: W, _fresh: bool) {
        self.handlers.push(task);
    }

    fn take(&mut self, blocked: &dyn Fn(&W) -> bool) -> Option<W> {
        while let Some(task) = self.handlers.pop() {
            self.round.push(task);
        }
        if self.round.iter().all(blocked) {
            while let Some(task) = self.delayed.pop() {
                self.round.push(task);
            }
        }
        let place = (0..self.round.len()).rev().find(|&i| !blocked(&self.round[i]))?;
        Some(self.round.remove(place))
    }

    fn delay(&mut self, task: W) {
        self.delayed.push(task);
    }

    fn tasks(&self) -> Vec<W> {
        [&self.handlers, &self.round, &self.delayed].into_iter().flatten().cloned().collect()
    }
}
