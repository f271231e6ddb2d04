//! One step of a program, forwards and backwards.

use super::program::{Instr, Program, Task};

/// What an instruction showed its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observation {
    Loaded(u64),
    /// The value before the addition.
    Added(u64),
    Compared {
        ok: bool,
        old: u64,
    },
    Tried(bool),
}

/// The result of a complete execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    /// Per task, what it observed, in its order.
    pub logs: Vec<Vec<Observation>>,
    /// Final values.
    pub atomics: Vec<u64>,
    /// The tasks that exist and have not finished, in ascending order. Not empty exactly if the
    /// execution is a deadlock; a task that was never spawned is not among them.
    pub stuck: Vec<Task>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    Instr(Instr),
    End,
}

/// One executed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    pub task: Task,
    /// How many steps the task had executed before.
    pub index: usize,
    pub action: Action,
    /// False for a `Cas` or `TryLock` that failed, true for all else.
    pub success: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Unborn,
    Live,
    Finished,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TaskState {
    phase: Phase,
    /// The next instruction; never one that is passed over. The list's length stands for the end.
    pc: usize,
    steps: usize,
    token: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RwLockState {
    readers: usize,
    writer: bool,
}

/// What a step overwrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Undo {
    pc: usize,
    /// The atomic's value, or whether the token was there.
    value: u64,
}

/// A program in the middle of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine<'p> {
    program: &'p Program,
    tasks: Vec<TaskState>,
    /// Per mutex, who holds it.
    mutexes: Vec<Option<Task>>,
    rwlocks: Vec<RwLockState>,
    /// `stuck` is empty unless `close` has filled it.
    outcome: Outcome,
    steps: Vec<Step>,
    undo: Vec<Undo>,
}

impl<'p> Machine<'p> {
    /// The start of an execution. The program must be well-formed.
    pub fn new(program: &'p Program) -> Machine<'p> {
        if let Err(rule) = program.validate() {
            panic!("ill-formed program: {rule}\n{program}");
        }
        let unborn = TaskState { phase: Phase::Unborn, pc: 0, steps: 0, token: false };
        let mut tasks = vec![unborn; program.tasks.len()];
        tasks[0].phase = Phase::Live;
        Machine {
            program,
            tasks,
            mutexes: vec![None; program.mutexes],
            rwlocks: vec![RwLockState::default(); program.rwlocks],
            outcome: Outcome {
                logs: vec![Vec::new(); program.tasks.len()],
                atomics: vec![0; program.atomics],
                stuck: Vec::new(),
            },
            steps: Vec::new(),
            undo: Vec::new(),
        }
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The task of the last step.
    pub fn last(&self) -> Option<Task> {
        self.steps.last().map(|step| step.task)
    }

    pub fn finished(&self, task: Task) -> bool {
        self.tasks[task].phase == Phase::Finished
    }

    /// What a task that has not finished would do next.
    pub fn next(&self, task: Task) -> Action {
        match self.program.tasks[task].get(self.tasks[task].pc) {
            Some(instr) => Action::Instr(*instr),
            None => Action::End,
        }
    }

    /// Whether the task's next step could take effect now.
    pub fn enabled(&self, task: Task) -> bool {
        if self.tasks[task].phase != Phase::Live {
            return false;
        }
        let Action::Instr(instr) = self.next(task) else {
            return true;
        };
        match instr {
            Instr::Lock(m) => self.mutexes[m].is_none(),
            Instr::Read(r) => !self.rwlocks[r].writer,
            Instr::Write(r) => !self.rwlocks[r].writer && self.rwlocks[r].readers == 0,
            Instr::Join(child) => self.finished(child),
            Instr::Park => self.tasks[task].token,
            _ => true,
        }
    }

    /// Whether no task is enabled.
    pub fn complete(&self) -> bool {
        !(0..self.tasks.len()).any(|task| self.enabled(task))
    }

    /// Executes the next step of an enabled task.
    pub fn step(&mut self, task: Task) -> Step {
        assert!(self.enabled(task), "task {task} is not enabled");
        let action = self.next(task);
        self.undo.push(Undo { pc: self.tasks[task].pc, value: self.overwritten(action) });
        let success = match action {
            Action::Instr(instr) => self.execute(task, instr),
            Action::End => {
                self.tasks[task].phase = Phase::Finished;
                true
            }
        };
        let step = Step { task, index: self.tasks[task].steps, action, success };
        self.steps.push(step);
        self.tasks[task].steps += 1;
        if action != Action::End {
            self.advance(task);
        }
        step
    }

    /// The value that the action may replace; 0 where it replaces none.
    fn overwritten(&self, action: Action) -> u64 {
        use Instr::*;
        match action {
            Action::Instr(Store(a, _) | Add(a, _) | Cas(a, _, _)) => self.outcome.atomics[a],
            Action::Instr(Unpark(other)) => u64::from(self.tasks[other].token),
            _ => 0,
        }
    }

    /// Goes past the instruction just executed, and past each `Unlock` of a mutex that the task does not
    /// hold.
    fn advance(&mut self, task: Task) {
        let list = &self.program.tasks[task];
        let pc = &mut self.tasks[task].pc;
        *pc += 1;
        while let Some(Instr::Unlock(m)) = list.get(*pc)
            && self.mutexes[*m] != Some(task)
        {
            *pc += 1;
        }
    }

    /// Returns whether a `Cas` or `TryLock` succeeded; true for all else.
    fn execute(&mut self, task: Task, instr: Instr) -> bool {
        let log = &mut self.outcome.logs[task];
        let atomics = &mut self.outcome.atomics;
        match instr {
            Instr::Load(a) => log.push(Observation::Loaded(atomics[a])),
            Instr::Store(a, value) => atomics[a] = value,
            Instr::Add(a, n) => {
                log.push(Observation::Added(atomics[a]));
                atomics[a] = atomics[a].wrapping_add(n);
            }
            Instr::Cas(a, expected, new) => {
                let old = atomics[a];
                let ok = old == expected;
                log.push(Observation::Compared { ok, old });
                if ok {
                    atomics[a] = new;
                }
                return ok;
            }
            Instr::Lock(m) => self.mutexes[m] = Some(task),
            Instr::Unlock(m) => self.mutexes[m] = None,
            Instr::TryLock(m) => {
                let free = self.mutexes[m].is_none();
                log.push(Observation::Tried(free));
                if free {
                    self.mutexes[m] = Some(task);
                }
                return free;
            }
            Instr::Read(r) => self.rwlocks[r].readers += 1,
            Instr::ReadUnlock(r) => self.rwlocks[r].readers -= 1,
            Instr::Write(r) => self.rwlocks[r].writer = true,
            Instr::WriteUnlock(r) => self.rwlocks[r].writer = false,
            Instr::Spawn(child) => self.tasks[child].phase = Phase::Live,
            Instr::Join(_) | Instr::Yield => {}
            Instr::Park => self.tasks[task].token = false,
            Instr::Unpark(other) => {
                let other = &mut self.tasks[other];
                assert!(other.phase != Phase::Unborn, "unparks what does not exist");
                if other.phase == Phase::Live {
                    other.token = true;
                }
            }
        }
        true
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        let (Some(step), Some(undo)) = (self.steps.pop(), self.undo.pop()) else {
            panic!("there is no step to take back");
        };
        let task = step.task;
        self.tasks[task].pc = undo.pc;
        self.tasks[task].steps -= 1;
        let Action::Instr(instr) = step.action else {
            self.tasks[task].phase = Phase::Live;
            return;
        };
        match instr {
            Instr::Store(a, _) | Instr::Add(a, _) | Instr::Cas(a, _, _) => {
                self.outcome.atomics[a] = undo.value;
            }
            Instr::TryLock(m) if step.success => self.mutexes[m] = None,
            Instr::Lock(m) => self.mutexes[m] = None,
            Instr::Unlock(m) => self.mutexes[m] = Some(task),
            Instr::Read(r) => self.rwlocks[r].readers -= 1,
            Instr::ReadUnlock(r) => self.rwlocks[r].readers += 1,
            Instr::Write(r) => self.rwlocks[r].writer = false,
            Instr::WriteUnlock(r) => self.rwlocks[r].writer = true,
            Instr::Spawn(child) => self.tasks[child].phase = Phase::Unborn,
            Instr::Park => self.tasks[task].token = true,
            Instr::Unpark(other) => self.tasks[other].token = undo.value != 0,
            Instr::Load(_) | Instr::TryLock(_) | Instr::Join(_) | Instr::Yield => {}
        }
        if let Instr::Load(_) | Instr::Add(..) | Instr::Cas(..) | Instr::TryLock(_) = instr {
            self.outcome.logs[task].pop();
        }
    }

    /// Names the stuck tasks of a complete execution. Call `reopen` before the next `undo`.
    pub fn close(&mut self) {
        assert!(self.complete(), "a task is still enabled");
        for (task, state) in self.tasks.iter().enumerate() {
            if state.phase == Phase::Live {
                self.outcome.stuck.push(task);
            }
        }
    }

    pub fn reopen(&mut self) {
        self.outcome.stuck.clear();
    }

    /// What was observed so far; the outcome of the execution once `close` was called.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}
