//! Small random programs with a finite number of states: two or three tasks, each a short list of instructions with jumps,
//! over two variables and a lock. Every instruction is one step.

use caissa_core::guide::Random;
use caissa_core::{TaskId, TaskSet};

/// As many tasks as a program may have.
pub const TASKS: usize = 3;
/// Variables hold 0, 1 or 2.
const VALUES: u8 = 3;

/// A set of tasks: bit t is task t.
pub type Set = u8;

/// The set of this one task.
pub fn only(task: usize) -> Set {
    1 << task
}

/// The tasks of a set, in ascending order.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..TASKS).filter(move |&task| set & only(task) != 0)
}

/// The set as the core knows it.
pub fn task_set(set: Set) -> TaskSet {
    members(set).map(|task| TaskId(task as u32)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    Set(usize, u8),
    /// Adds 1; 2 becomes 0.
    Add(usize),
    /// If the variable has this value, goes on at `to`.
    Test(usize, u8, u8),
    /// Blocks until the variable has this value.
    Await(usize, u8),
    /// Blocks while somebody has the lock.
    Lock,
    /// Nothing if the lock is not the task's own.
    Unlock,
    /// Takes the lock; if somebody has it, yields and goes on at `or`.
    TryLock(u8),
    /// Yields and goes on at `to`.
    Yield(u8),
    /// Creates the next task; nothing if there are all.
    Spawn,
    End,
}

/// A task that has not been created, and one that has ended.
const UNBORN: u8 = u8::MAX;
const ENDED: u8 = u8::MAX - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    at: [u8; TASKS],
    variables: [u8; 2],
    owner: Option<u8>,
}

#[derive(Clone, Debug)]
pub struct Program {
    tasks: Vec<Vec<Instruction>>,
}

impl Program {
    /// The tasks with these instructions; the first one is the main task.
    pub fn new(tasks: Vec<Vec<Instruction>>) -> Program {
        Program { tasks }
    }

    /// Tid: all tasks that there ever can be.
    pub fn all(&self) -> Set {
        only(self.tasks.len()) - 1
    }

    pub fn initial(&self) -> State {
        State { at: [0, UNBORN, UNBORN], variables: [0; 2], owner: None }
    }

    /// What a task is about to do.
    pub fn pending(&self, state: &State, task: usize) -> Option<Instruction> {
        self.tasks[task].get(state.at[task] as usize).copied()
    }

    pub fn is_enabled(&self, state: &State, task: usize) -> bool {
        match self.pending(state, task) {
            None => false,
            Some(Instruction::Lock) => state.owner.is_none(),
            Some(Instruction::Await(variable, value)) => state.variables[variable] == value,
            Some(_) => true,
        }
    }

    /// ES.
    pub fn enabled(&self, state: &State) -> Set {
        members(self.all()).filter(|&task| self.is_enabled(state, task)).map(only).sum()
    }

    /// The tasks that would yield if they took their step now.
    pub fn yielding(&self, state: &State) -> Set {
        let yields = |&task: &usize| match self.pending(state, task) {
            Some(Instruction::Yield(_)) => true,
            Some(Instruction::TryLock(_)) => state.owner.is_some(),
            _ => false,
        };
        members(self.all()).filter(yields).map(only).sum()
    }

    /// The task that the step of `task` would create.
    pub fn creates(&self, state: &State, task: usize) -> Option<usize> {
        (self.pending(state, task) == Some(Instruction::Spawn))
            .then(|| members(self.all()).find(|&other| state.at[other] == UNBORN))
            .flatten()
    }

    /// The variable, or 2 for the lock, that a task's step touches, and whether it may change it.
    pub fn touches(&self, state: &State, task: usize) -> Option<(usize, bool)> {
        match self.pending(state, task)? {
            Instruction::Set(variable, _) | Instruction::Add(variable) => Some((variable, true)),
            Instruction::Test(variable, ..) | Instruction::Await(variable, _) => Some((variable, false)),
            Instruction::Lock | Instruction::Unlock | Instruction::TryLock(_) => Some((2, true)),
            Instruction::Yield(_) | Instruction::Spawn | Instruction::End => None,
        }
    }

    pub fn next(&self, state: &State, task: usize) -> State {
        assert!(self.is_enabled(state, task), "T{task} cannot take a step in {state:?}");
        let mut next = *state;
        next.at[task] += 1;
        match self.pending(state, task).expect("it is enabled") {
            Instruction::Set(variable, value) => next.variables[variable] = value,
            Instruction::Add(variable) => {
                next.variables[variable] = (state.variables[variable] + 1) % VALUES;
            }
            Instruction::Test(variable, value, to) if state.variables[variable] == value => {
                next.at[task] = to;
            }
            Instruction::Test(..) | Instruction::Await(..) => {}
            Instruction::Lock => next.owner = Some(task as u8),
            Instruction::Unlock if state.owner == Some(task as u8) => next.owner = None,
            Instruction::Unlock => {}
            Instruction::TryLock(or) if state.owner.is_some() => next.at[task] = or,
            Instruction::TryLock(_) => next.owner = Some(task as u8),
            Instruction::Yield(to) => next.at[task] = to,
            Instruction::Spawn => {
                if let Some(child) = self.creates(state, task) {
                    next.at[child] = 0;
                }
            }
            Instruction::End => next.at[task] = ENDED,
        }
        next
    }

    /// Whether all tasks that were created have ended.
    pub fn is_complete(&self, state: &State) -> bool {
        state.at.iter().all(|&at| at == UNBORN || at == ENDED)
    }

    pub fn has_ended(&self, state: &State, task: usize) -> bool {
        state.at[task] == ENDED
    }

    /// The program of this seed.
    pub fn random(seed: u64) -> Program {
        let mut random = Random::new(seed);
        let count = 2 + (random.below(3) == 0) as usize;
        // Where tasks are created: T1 by main, T2 by any of the others.
        let parent = if random.below(2) == 0 { 0 } else { 1 };
        let tasks = (0..count).map(|task| {
            let spawns = (task == 0) as u32 + (count == 3 && task == parent) as u32;
            let length = spawns + 1 + random.below(if count == 3 { 3 } else { 5 });
            instructions(&mut random, length, spawns)
        });
        Program { tasks: tasks.collect() }
    }
}

/// About so many instructions and an end; those that create tasks come early more often than late.
fn instructions(random: &mut Random, length: u32, mut spawns: u32) -> Vec<Instruction> {
    let mut list = Vec::new();
    while (list.len() as u32) < length || spawns > 0 {
        if spawns > 0 && (random.below(2) == 0 || list.len() as u32 >= length) {
            spawns -= 1;
            list.push(Instruction::Spawn);
        } else {
            extend(random, &mut list, length);
        }
    }
    list.push(Instruction::End);
    let end = list.len() as u8 - 1;
    for instruction in &mut list {
        if let Instruction::Test(_, _, to) | Instruction::TryLock(to) | Instruction::Yield(to) = instruction {
            *to = (*to).min(end);
        }
    }
    list
}

/// One more instruction, or a few that belong together. Most ways back lead over a yield, as in programs that mean well.
fn extend(random: &mut Random, list: &mut Vec<Instruction>, length: u32) {
    use Instruction::*;
    let variable = (random.below(3) == 0) as usize;
    let value = [0, 1, 1, 2][random.below(4) as usize];
    let at = list.len() as u8;
    let back = random.below(at as u32 + 1) as u8;
    let on = at + 1 + random.below(length) as u8 / 2;
    let mut back_in = |parts: u32| if random.below(parts) == 0 { back } else { on };
    let (seldom, often) = (back_in(3), if back_in(4) == back { on } else { back });
    match random.below(24) {
        0..5 => list.push(Set(variable, value)),
        5 => list.push(Add(variable)),
        6..8 => list.push(Test(variable, value, seldom)),
        8 => list.push(Await(variable, value)),
        9 => list.push(Lock),
        10..12 => list.push(Unlock),
        12 => list.push(TryLock(often)),
        13 => list.push(Yield(at + 1)),
        14 => list.push(Yield(seldom)),
        // Waits until the variable is 1, or is not 0 any more.
        15..17 => list.extend([Test(variable, 1, at + 2), Yield(at)]),
        17..19 => list.extend([Yield(at + 1), Test(variable, 0, at)]),
        // The same with the lock held while it looks.
        19..21 => list.extend([Lock, Test(variable, 1, at + 4), Unlock, Yield(at), Unlock]),
        21..23 => list.extend([Lock, Set(variable, 1), Unlock]),
        // Others that wait for the variable are enabled for a while.
        _ => list.extend([Set(variable, 1), Set(variable, 0), Yield(on.max(at + 3))]),
    }
}
