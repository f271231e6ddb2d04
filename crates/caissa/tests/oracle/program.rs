//! Abstract programs: per task a straight list of instructions.
//!
//! Tasks and objects are named by their index. Task 0 is main and exists at the start;
//! every other task comes to exist when its `Spawn` is executed. Each executed instruction is one step
//! (some take two, see `meeting`), and after its last instruction each task has one more step, its end.

use std::fmt;

/// A task's index in `Program::tasks`.
pub type Task = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instr {
    /// Observes the value of an atomic.
    Load(usize),
    Store(usize, u64),
    /// Adds, wrapping around, and observes the old value.
    Add(usize, u64),
    /// `Cas(atomic, expected, new)` observes whether it succeeded, and the old value.
    Cas(usize, u64, u64),
    Lock(usize),
    /// Releases the mutex. If this task does not hold it (its `TryLock` failed), the instruction is
    /// passed over and is no step.
    Unlock(usize),
    /// Takes the mutex if it is free, and observes whether it did. The instructions up to the `Unlock`
    /// are executed either way.
    TryLock(usize),
    Read(usize),
    ReadUnlock(usize),
    Write(usize),
    WriteUnlock(usize),
    Spawn(Task),
    Join(Task),
    /// Consumes this task's token.
    Park,
    /// Gives the task its token; there is at most one. A finished task takes no notice.
    Unpark(Task),
    Yield,
    /// `Wait(condvar, mutex)`, passed over like `Unlock` if this task does not hold the mutex.
    Wait(usize, usize),
    /// With two or more waiters, a data choice among them follows.
    NotifyOne(usize),
    NotifyAll(usize),
    /// Waits at a barrier, and observes whether this task came last.
    Arrive(usize),
    /// `Send(channel, message)` observes whether the receiver was still there.
    Send(usize, u64),
    TrySend(usize, u64),
    Recv(usize),
    TryRecv(usize),
    /// Every task that drops a sender of a channel has one from the start; likewise the receiver.
    DropSender(usize),
    DropReceiver(usize),
    /// A data choice among so many values: a step that is not scheduled.
    Choose(usize),
    /// Observes whether a child has finished.
    IsFinished(Task),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Program {
    pub tasks: Vec<Vec<Instr>>,
    /// Number of atomics; each is 0 at the start.
    pub atomics: usize,
    pub mutexes: usize,
    pub rwlocks: usize,
    pub condvars: usize,
    /// Each with its size.
    pub barriers: Vec<usize>,
    /// Each with its capacity; None is unbounded, 0 a rendezvous.
    pub channels: Vec<Option<usize>>,
}

impl Program {
    /// A program with as many objects as its instructions name. Barriers are of size 2 and channels
    /// unbounded.
    pub fn new(tasks: Vec<Vec<Instr>>) -> Program {
        let (mut atomics, mut mutexes, mut rwlocks) = (0, 0, 0);
        let (mut condvars, mut barriers, mut channels) = (0, 0, 0);
        for instr in tasks.iter().flatten() {
            use Instr::*;
            let (number, object) = match *instr {
                Load(a) | Store(a, _) | Add(a, _) | Cas(a, _, _) => (&mut atomics, a),
                Lock(m) | Unlock(m) | TryLock(m) => (&mut mutexes, m),
                Read(r) | ReadUnlock(r) | Write(r) | WriteUnlock(r) => (&mut rwlocks, r),
                Wait(c, _) | NotifyOne(c) | NotifyAll(c) => (&mut condvars, c),
                Arrive(b) => (&mut barriers, b),
                Send(c, _) | TrySend(c, _) | Recv(c) | TryRecv(c) | DropSender(c) | DropReceiver(c) => {
                    (&mut channels, c)
                }
                Spawn(_) | Join(_) | Park | Unpark(_) | Yield | Choose(_) | IsFinished(_) => continue,
            };
            *number = (*number).max(object + 1);
        }
        let (barriers, channels) = (vec![2; barriers], vec![None; channels]);
        Program { tasks, atomics, mutexes, rwlocks, condvars, barriers, channels }
    }

    /// `tasks` children of main, each adding 1 to the one atomic `adds` times. Main spawns them and
    /// ends; no task is ever blocked.
    pub fn adders(tasks: usize, adds: usize) -> Program {
        let mut lists = vec![(1..=tasks).map(Instr::Spawn).collect::<Vec<_>>()];
        lists.extend((0..tasks).map(|_| vec![Instr::Add(0, 1); adds]));
        Program::new(lists)
    }

    /// As `adders`, but main then joins its children in the order in which it spawned them.
    pub fn joined_adders(tasks: usize, adds: usize) -> Program {
        let mut program = Program::adders(tasks, adds);
        program.tasks[0].extend((1..=tasks).map(Instr::Join));
        program
    }

    /// The task that spawns `task`, and where in its list. None for main.
    pub fn spawned_at(&self, task: Task) -> Option<(Task, usize)> {
        self.tasks.iter().enumerate().find_map(|(parent, list)| {
            let at = list.iter().position(|i| *i == Instr::Spawn(task))?;
            Some((parent, at))
        })
    }

    /// Whether `other` exists for certain when `task` reaches the instruction at `at`: it is main, the
    /// task itself, a child spawned earlier in its list, or a task that existed for certain when `task`
    /// was spawned.
    pub fn exists_at(&self, task: Task, at: usize, other: Task) -> bool {
        other == 0
            || other == task
            || self.tasks[task][..at].contains(&Instr::Spawn(other))
            || self.spawned_at(task).is_some_and(|(parent, at)| self.exists_at(parent, at, other))
    }

    /// Checks every rule of well-formedness; the error names the rule and the place.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_spawns()?;
        self.validate_channels()?;
        for (task, list) in self.tasks.iter().enumerate() {
            self.validate_list(task, list)
                .map_err(|(at, rule)| format!("task {task}, instruction {at}: {rule}"))?;
        }
        Ok(())
    }

    fn validate_spawns(&self) -> Result<(), String> {
        if self.tasks.is_empty() {
            return Err("there is no main task".into());
        }
        for task in 0..self.tasks.len() {
            let spawns = self.tasks.iter().flatten();
            let spawns = spawns.filter(|i| **i == Instr::Spawn(task)).count();
            if spawns != usize::from(task != 0) {
                return Err(format!("task {task} is spawned {spawns} times"));
            }
        }
        for task in 1..self.tasks.len() {
            let mut ancestor = task;
            for _ in 0..self.tasks.len() {
                ancestor = self.spawned_at(ancestor).map_or(0, |(parent, _)| parent);
            }
            if ancestor != 0 {
                return Err(format!("task {task} does not descend from main"));
            }
        }
        Ok(())
    }

    fn validate_channels(&self) -> Result<(), String> {
        for channel in 0..self.channels.len() {
            let count = |instr| self.tasks.iter().flatten().filter(|i| **i == instr).count();
            if count(Instr::DropReceiver(channel)) != 1 || count(Instr::DropSender(channel)) == 0 {
                return Err(format!("channel {channel} must have one receiver, and a sender"));
            }
        }
        Ok(())
    }

    fn validate_list(&self, task: Task, list: &[Instr]) -> Result<(), (usize, &'static str)> {
        use Instr::*;
        // Per lock, the instruction that releases what this task has taken of it.
        let mut mutexes = vec![None; self.mutexes];
        let mut rwlocks = vec![None; self.rwlocks];
        let mut joined = vec![false; self.tasks.len()];
        for (at, instr) in list.iter().enumerate() {
            let fail = |rule| Err((at, rule));
            let (lock, needed, then) = match *instr {
                Load(a) | Store(a, _) | Add(a, _) | Cas(a, _, _) => {
                    if a >= self.atomics {
                        return fail("there is no such atomic");
                    }
                    continue;
                }
                Spawn(child) => {
                    if child >= self.tasks.len() {
                        return fail("there is no such task");
                    }
                    continue;
                }
                Join(child) => {
                    if !list[..at].contains(&Spawn(child)) {
                        return fail("joins what it has not spawned");
                    }
                    if std::mem::replace(&mut joined[child], true) {
                        return fail("joins twice");
                    }
                    continue;
                }
                Unpark(other) => {
                    if !self.exists_at(task, at, other) {
                        return fail("unparks what may not exist yet");
                    }
                    continue;
                }
                IsFinished(child) => {
                    if !list[..at].contains(&Spawn(child)) || joined[child] {
                        return fail("asks for what it has not spawned, or has joined");
                    }
                    continue;
                }
                Wait(c, m) => {
                    if c >= self.condvars || mutexes.get(m) != Some(&Some(Unlock(m))) {
                        return fail("waits without such a condvar, or without the mutex");
                    }
                    continue;
                }
                NotifyOne(c) | NotifyAll(c) if c >= self.condvars => return fail("there is no such condvar"),
                Arrive(b) if b >= self.barriers.len() => return fail("there is no such barrier"),
                Choose(0) => return fail("nothing to choose"),
                Send(c, _) | TrySend(c, _) | DropSender(c) => {
                    if list[at..].iter().filter(|i| **i == DropSender(c)).count() != 1 {
                        return fail("has no sender, or does not drop it once and last");
                    }
                    if matches!(instr, TrySend(..)) && self.channels[c].is_none() {
                        return fail("tries to send where there is always room");
                    }
                    continue;
                }
                Recv(c) | TryRecv(c) | DropReceiver(c) => {
                    if list[at..].iter().filter(|i| **i == DropReceiver(c)).count() != 1 {
                        return fail("has no receiver, or does not drop it once and last");
                    }
                    continue;
                }
                Park | Yield | NotifyOne(_) | NotifyAll(_) | Arrive(_) | Choose(_) => continue,
                Lock(m) | TryLock(m) => (mutexes.get_mut(m), None, Some(Unlock(m))),
                Unlock(m) => (mutexes.get_mut(m), Some(*instr), None),
                Read(r) => (rwlocks.get_mut(r), None, Some(ReadUnlock(r))),
                Write(r) => (rwlocks.get_mut(r), None, Some(WriteUnlock(r))),
                ReadUnlock(r) | WriteUnlock(r) => (rwlocks.get_mut(r), Some(*instr), None),
            };
            match lock {
                None => return fail("there is no such lock"),
                Some(release) if *release != needed => {
                    return fail("takes what it has, or releases what it has not");
                }
                Some(release) => *release = then,
            }
        }
        if mutexes.iter().chain(&rwlocks).any(Option::is_some) {
            return Err((list.len(), "ends with a lock not released"));
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    /// One line per task.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (task, list) in self.tasks.iter().enumerate() {
            writeln!(f, "{task}: {list:?}")?;
        }
        if !self.barriers.is_empty() {
            writeln!(f, "sizes of barriers: {:?}", self.barriers)?;
        }
        if !self.channels.is_empty() {
            writeln!(f, "capacities of channels: {:?}", self.channels)?;
        }
        Ok(())
    }
}
