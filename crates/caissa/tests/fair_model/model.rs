//! Small programs with loops that yield, and a model that enumerates their fair executions: Algorithm 1 of Musuvathi and Qadeer,
//! PLDI 2008, as it is printed there. It shares no code with the library.

use std::collections::{BTreeMap, BTreeSet};

pub type Task = usize;
type Tasks = BTreeSet<Task>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instr {
    /// Observes an atomic.
    Load(usize),
    Store(usize, usize),
    Add(usize, usize),
    Yield,
    Lock(usize),
    /// Passed over, and no step, if the task does not hold the mutex.
    Unlock(usize),
    /// Observes whether it got the mutex; yields if not.
    TryLock(usize),
    /// `while load(atomic) < value { yield }`
    WaitFor(usize, usize),
    /// `while swap(atomic, 1) == 1 { yield }`
    SpinLock(usize),
    /// `while try_lock(mutex) fails {}`; a try that fails yields.
    TryUntilLocked(usize),
    Spawn(Task),
    Join(Task),
}

/// Task 0 is there from the start. Every atomic is 0 at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub tasks: Vec<Vec<Instr>>,
    pub atomics: usize,
    pub mutexes: usize,
}

/// What each task has observed, and whether all of them ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    pub observed: Vec<Vec<usize>>,
    pub ended: bool,
}

/// What a choice costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Preemptions,
    /// Delays of the round-robin scheduler.
    RoundRobin,
}

/// The executions at each exact cost and all outcomes.
#[derive(Debug, Default)]
pub struct Summary {
    pub executions: BTreeMap<usize, u64>,
    pub outcomes: BTreeSet<Outcome>,
}

/// Why there is no summary.
#[derive(Debug)]
pub enum Unsuitable {
    TooManyExecutions,
    /// Some execution has more steps than any that comes to an end.
    Endless,
}

#[derive(Clone)]
struct Window {
    enabled: Tasks,
    disabled: Tasks,
    scheduled: Tasks,
}

#[derive(Clone)]
struct State {
    /// The next instruction of each task that exists and has not ended; one more than there are is its end.
    at: BTreeMap<Task, usize>,
    /// The task is about to yield in its loop.
    in_loop: Tasks,
    ended: Tasks,
    atomics: Vec<usize>,
    holder: Vec<Option<Task>>,
    observed: Vec<Vec<usize>>,
    /// P, the windows of tasks that have yielded, and how often each has.
    order: BTreeSet<(Task, Task)>,
    windows: BTreeMap<Task, Window>,
    yields: BTreeMap<Task, u32>,
    last: Option<Task>,
    steps: usize,
}

/// The search for all fair executions of a program.
pub struct Model<'a> {
    pub program: &'a Program,
    pub measure: Measure,
    pub k: u32,
    pub max_executions: u64,
    pub max_steps: usize,
}

impl Model<'_> {
    pub fn explore(&self) -> Result<Summary, Unsuitable> {
        let start = State {
            at: BTreeMap::from([(0, 0)]),
            in_loop: Tasks::new(),
            ended: Tasks::new(),
            atomics: vec![0; self.program.atomics],
            holder: vec![None; self.program.mutexes],
            observed: vec![Vec::new(); self.program.tasks.len()],
            order: BTreeSet::new(),
            windows: BTreeMap::new(),
            yields: BTreeMap::new(),
            last: None,
            steps: 0,
        };
        let mut summary = Summary::default();
        let mut count = 0;
        self.visit(&start, 0, &mut summary, &mut count)?;
        Ok(summary)
    }

    fn visit(
        &self,
        state: &State,
        cost: usize,
        summary: &mut Summary,
        count: &mut u64,
    ) -> Result<(), Unsuitable> {
        let enabled = self.enabled(state);
        if enabled.is_empty() {
            *summary.executions.entry(cost).or_default() += 1;
            *count += 1;
            let ended = state.ended.len() == self.program.tasks.len();
            summary.outcomes.insert(Outcome { observed: state.observed.clone(), ended });
            return if *count > self.max_executions { Err(Unsuitable::TooManyExecutions) } else { Ok(()) };
        }
        if state.steps > self.max_steps {
            return Err(Unsuitable::Endless);
        }
        // T := ES \ pre(P, ES).
        let below = |t: Task| enabled.iter().any(|&u| state.order.contains(&(t, u)));
        let schedulable: Tasks = enabled.iter().copied().filter(|&t| !below(t)).collect();
        assert!(!schedulable.is_empty(), "Theorem 3");
        for &task in &schedulable {
            let mut next = state.clone();
            let yields = self.step(&mut next, task);
            self.account(&mut next, task, yields, &enabled);
            next.last = Some(task);
            next.steps += 1;
            self.visit(&next, cost + self.cost(state.last, task, &schedulable), summary, count)?;
        }
        Ok(())
    }

    fn cost(&self, last: Option<Task>, task: Task, schedulable: &Tasks) -> usize {
        let last = last.unwrap_or(0);
        match self.measure {
            Measure::Preemptions => usize::from(task != last && schedulable.contains(&last)),
            Measure::RoundRobin => {
                let tasks = self.program.tasks.len();
                let turn = (0..tasks).map(|n| (last + n) % tasks).filter(|t| schedulable.contains(t));
                turn.take_while(|&t| t != task).count()
            }
        }
    }

    /// Lines 13 to 29 of the algorithm.
    fn account(&self, next: &mut State, t: Task, yields: bool, before: &Tasks) {
        let after = self.enabled(next);
        next.order.retain(|&(_, u)| u != t);
        for (&u, window) in &mut next.windows {
            window.enabled = &window.enabled & &after;
            if u == t {
                window.disabled = &window.disabled | &(before - &after);
            }
            window.scheduled.insert(t);
        }
        if !yields {
            return;
        }
        let count = next.yields.entry(t).or_default();
        *count += 1;
        if !count.is_multiple_of(self.k) {
            return;
        }
        if let Some(window) = next.windows.get(&t) {
            let ahead = &(&window.enabled | &window.disabled) - &window.scheduled;
            next.order.extend(ahead.into_iter().map(|u| (t, u)));
        }
        next.windows.insert(t, Window { enabled: after, disabled: Tasks::new(), scheduled: Tasks::new() });
    }

    fn next_instr(&self, state: &State, task: Task) -> Option<Instr> {
        self.program.tasks[task].get(state.at[&task]).copied()
    }

    fn enabled(&self, state: &State) -> Tasks {
        let can_run = |&task: &Task| match self.next_instr(state, task) {
            Some(Instr::Lock(mutex)) => state.holder[mutex].is_none(),
            Some(Instr::Join(child)) => state.ended.contains(&child),
            _ => true,
        };
        state.at.keys().copied().filter(can_run).collect()
    }

    /// Takes a step of a task; whether it yields.
    fn step(&self, state: &mut State, task: Task) -> bool {
        let Some(instr) = self.next_instr(state, task) else {
            state.at.remove(&task);
            state.ended.insert(task);
            return false;
        };
        let (mut done, mut yields) = (true, false);
        match instr {
            Instr::Load(atomic) => state.observed[task].push(state.atomics[atomic]),
            Instr::Store(atomic, value) => state.atomics[atomic] = value,
            Instr::Add(atomic, value) => state.atomics[atomic] += value,
            Instr::Yield => yields = true,
            Instr::Lock(mutex) => state.holder[mutex] = Some(task),
            Instr::Unlock(mutex) => state.holder[mutex] = None,
            Instr::TryLock(mutex) => {
                yields = state.holder[mutex].is_some();
                state.observed[task].push(usize::from(!yields));
                state.holder[mutex].get_or_insert(task);
            }
            Instr::TryUntilLocked(mutex) => {
                yields = state.holder[mutex].is_some();
                done = !yields;
                state.holder[mutex].get_or_insert(task);
            }
            Instr::WaitFor(..) | Instr::SpinLock(_) if state.in_loop.remove(&task) => {
                (done, yields) = (false, true)
            }
            Instr::WaitFor(atomic, value) => done = state.atomics[atomic] >= value,
            Instr::SpinLock(atomic) => done = std::mem::replace(&mut state.atomics[atomic], 1) == 0,
            Instr::Spawn(child) => {
                state.at.insert(child, 0);
                self.pass_over(state, child);
            }
            Instr::Join(_) => {}
        }
        if done {
            *state.at.get_mut(&task).unwrap() += 1;
            self.pass_over(state, task);
        } else if !yields {
            state.in_loop.insert(task);
        }
        yields
    }

    fn pass_over(&self, state: &mut State, task: Task) {
        while let Some(Instr::Unlock(mutex)) = self.next_instr(state, task)
            && state.holder[mutex] != Some(task)
        {
            *state.at.get_mut(&task).unwrap() += 1;
        }
    }
}
