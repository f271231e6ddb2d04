//! Executions up to the order of independent steps (Mazurkiewicz traces).
//!
//! Two steps depend on each other if they belong to one task, if they access one object and not both
//! only read it, if one spawns the task of the other, if one ends the task that the other joins, or if one
//! wakes the task of the other, whose instruction then has its second step. Two executions are of one class if swapping neighbouring independent steps leads from one to the other;
//! that is, if they order dependent steps alike.

use super::interpret::{Action, Step};
use super::program::{Instr, Task};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    Atomic(usize),
    Mutex(usize),
    RwLock(usize),
    Token(Task),
    /// Whether the task has finished.
    Finish(Task),
    Condvar(usize),
    Barrier(usize),
    Channel(usize),
}

/// The objects that a step accesses, and whether it only reads them.
fn accesses(step: &Step) -> [Option<(Object, bool)>; 2] {
    let reads = !step.success;
    let one = match step.action {
        Action::Instr(Instr::Wait(c, m)) => {
            return [Some((Object::Condvar(c), false)), Some((Object::Mutex(m), false))];
        }
        Action::Instr(instr) => access(instr, step),
        Action::Second(Instr::Wait(_, m)) => Some((Object::Mutex(m), false)),
        Action::Second(Instr::Recv(c)) => Some((Object::Channel(c), reads)),
        // Leaving a barrier and ending a handover only follow what has woken the task.
        Action::Second(_) | Action::Choice(_) => None,
        Action::End => Some((Object::Finish(step.task), false)),
    };
    [one, None]
}

fn access(instr: Instr, step: &Step) -> Option<(Object, bool)> {
    let reads = !step.success;
    Some(match instr {
        Instr::Load(a) => (Object::Atomic(a), true),
        Instr::Store(a, _) | Instr::Add(a, _) => (Object::Atomic(a), false),
        Instr::Cas(a, _, _) => (Object::Atomic(a), reads),
        Instr::Lock(m) | Instr::Unlock(m) => (Object::Mutex(m), false),
        Instr::TryLock(m) => (Object::Mutex(m), reads),
        Instr::Read(r) | Instr::ReadUnlock(r) => (Object::RwLock(r), true),
        Instr::Write(r) | Instr::WriteUnlock(r) => (Object::RwLock(r), false),
        Instr::Park => (Object::Token(step.task), false),
        Instr::Unpark(other) => (Object::Token(other), false),
        Instr::IsFinished(child) => (Object::Finish(child), true),
        Instr::Wait(c, _) | Instr::NotifyOne(c) | Instr::NotifyAll(c) => (Object::Condvar(c), false),
        Instr::Arrive(b) => (Object::Barrier(b), false),
        Instr::Send(c, _)
        | Instr::TrySend(c, _)
        | Instr::Recv(c)
        | Instr::TryRecv(c)
        | Instr::DropSender(c)
        | Instr::DropReceiver(c) => (Object::Channel(c), reads),
        Instr::Spawn(_) | Instr::Join(_) | Instr::Yield | Instr::Choose(_) => return None,
    })
}

/// Whether the order of the two steps, the first of which was executed first, matters.
pub fn dependent(first: &Step, second: &Step) -> bool {
    if first.task == second.task
        || first.action == Action::Instr(Instr::Spawn(second.task))
        || (first.action == Action::End && second.action == Action::Instr(Instr::Join(first.task)))
        || (first.wakes >> second.task & 1 == 1 && matches!(second.action, Action::Second(_)))
    {
        return true;
    }
    let others = accesses(second);
    accesses(first).iter().flatten().any(|(one, one_reads)| {
        others.iter().flatten().any(|(other, other_reads)| one == other && !(*one_reads && *other_reads))
    })
}

/// A class of executions of one program: exact, not a hash. Equal exactly if the executions are of one
/// class; classes of different programs must not be compared.
///
/// Per task, the number of its steps and then their clocks, with the value after each data choice. A step's clock says, per task, how many of
/// that task's steps happen before it (the step itself included); as happens-before includes the order
/// of each task, this is the set of its predecessors.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(Vec<u8>);

impl Class {
    /// The class of an execution of a program of `tasks` tasks.
    pub fn of(tasks: usize, steps: &[Step]) -> Class {
        Classifier::new(tasks).classify(steps).clone()
    }
}

/// Computes classes, using the same buffers again and again.
#[derive(Clone, Debug)]
pub struct Classifier {
    tasks: usize,
    /// One clock of `tasks` numbers per step, in the order of execution.
    clocks: Vec<u8>,
    class: Class,
}

impl Classifier {
    pub fn new(tasks: usize) -> Classifier {
        Classifier { tasks, clocks: Vec::new(), class: Class::default() }
    }

    pub fn classify(&mut self, steps: &[Step]) -> &Class {
        self.clocks.clear();
        for (at, step) in steps.iter().enumerate() {
            self.append_clock(step, &steps[..at]);
        }
        let class = &mut self.class.0;
        class.clear();
        for task in 0..self.tasks {
            let start = class.len();
            class.push(0);
            for (step, clock) in steps.iter().zip(self.clocks.chunks_exact(self.tasks)) {
                if step.task == task {
                    class[start] += 1;
                    class.extend_from_slice(clock);
                    if let Action::Choice(value) = step.action {
                        class.push(u8::try_from(value).expect("choices are among fewer than 256 values"));
                    }
                }
            }
        }
        &self.class
    }

    fn append_clock(&mut self, step: &Step, earlier: &[Step]) {
        let tasks = self.tasks;
        let start = self.clocks.len();
        self.clocks.resize(start + tasks, 0);
        let (clocks, clock) = self.clocks.split_at_mut(start);
        for (at, before) in earlier.iter().enumerate().rev() {
            // What the clock contains already brings nothing new: neither do its own predecessors.
            if usize::from(clock[before.task]) <= before.index && dependent(before, step) {
                let before = &clocks[at * tasks..(at + 1) * tasks];
                for (own, other) in clock.iter_mut().zip(before) {
                    *own = (*own).max(*other);
                }
            }
        }
        clock[step.task] = u8::try_from(step.index + 1).expect("a task has fewer than 256 steps");
    }
}
