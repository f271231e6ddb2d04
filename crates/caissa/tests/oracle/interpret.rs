//! One step of a program, forwards and backwards.

use super::meeting::{Effect, Meeting, Tasks};
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
    /// Of a barrier: whether the task was the last to arrive.
    Led(bool),
    /// Whether the message was, or will be, received.
    Sent(bool),
    TrySent {
        sent: bool,
        connected: bool,
    },
    Received(u64),
    /// There was no message; if not connected, there will be none.
    Missed {
        connected: bool,
    },
    Chose(usize),
    Finished(bool),
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
    /// The second step of an instruction.
    Second(Instr),
    /// A data choice: of `Choose`, or among the waiters of a `NotifyOne`.
    Choice(usize),
    End,
}

/// One executed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    pub task: Task,
    /// How many steps the task had executed before.
    pub index: usize,
    pub action: Action,
    /// False for a `Cas` that failed, and for trying, sending and receiving in vain; true for all else.
    pub success: bool,
    /// The tasks whose second step this one has made possible.
    pub wakes: Tasks,
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
    /// The second step of the instruction comes next.
    halfway: bool,
    steps: usize,
    token: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RwLockState {
    readers: usize,
    writer: bool,
}

/// What a step overwrote.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Undo {
    pc: usize,
    halfway: bool,
    /// The length of the task's log.
    logged: usize,
    picking: Option<(Task, usize)>,
    /// The atomic's value, or whether the token was there.
    value: u64,
    /// The state of condvars, barriers and channels, if the step concerned them.
    meeting: Option<Meeting>,
}

/// A program in the middle of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine<'p> {
    program: &'p Program,
    tasks: Vec<TaskState>,
    /// Per mutex, who holds it.
    mutexes: Vec<Option<Task>>,
    rwlocks: Vec<RwLockState>,
    meeting: Meeting,
    /// A task that has yet to choose which waiter of a condvar it notifies.
    picking: Option<(Task, usize)>,
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
        let unborn = TaskState { phase: Phase::Unborn, pc: 0, halfway: false, steps: 0, token: false };
        let mut tasks = vec![unborn; program.tasks.len()];
        tasks[0].phase = Phase::Live;
        Machine {
            program,
            tasks,
            mutexes: vec![None; program.mutexes],
            rwlocks: vec![RwLockState::default(); program.rwlocks],
            meeting: Meeting::new(program),
            picking: None,
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

    /// The task of the last step that was scheduled; data choices are not.
    pub fn last(&self) -> Option<Task> {
        let scheduled = self.steps.iter().rfind(|step| !matches!(step.action, Action::Choice(_)));
        scheduled.map(|step| step.task)
    }

    pub fn finished(&self, task: Task) -> bool {
        self.tasks[task].phase == Phase::Finished
    }

    /// What a task that has not finished would do next.
    pub fn next(&self, task: Task) -> Action {
        match self.program.tasks[task].get(self.tasks[task].pc) {
            Some(instr) if self.tasks[task].halfway => Action::Second(*instr),
            Some(instr) => Action::Instr(*instr),
            None => Action::End,
        }
    }

    /// The data choice that has to be made before any further step: by whom, and among how many values.
    ///
    /// A task makes its choices as soon as it comes to them; a new task comes to its first ones when it is
    /// spawned, before its parent goes on.
    pub fn choice(&self) -> Option<(Task, usize)> {
        if let Some((task, condvar)) = self.picking {
            return Some((task, self.meeting.waiters(condvar)));
        }
        let last = self.last();
        let others = (0..self.tasks.len()).filter(|task| Some(*task) != last);
        others.chain(last).find_map(|task| match self.next(task) {
            Action::Instr(Instr::Choose(count)) if self.tasks[task].phase == Phase::Live => {
                Some((task, count))
            }
            _ => None,
        })
    }

    /// Whether the task's next step could take effect now.
    pub fn enabled(&self, task: Task) -> bool {
        if self.tasks[task].phase != Phase::Live {
            return false;
        }
        let (instr, second) = match self.next(task) {
            Action::Instr(instr) => (instr, false),
            Action::Second(instr) => (instr, true),
            Action::Choice(_) | Action::End => return true,
        };
        if !self.meeting.allows(task, instr, second) {
            return false;
        }
        match instr {
            Instr::Wait(_, m) if second => self.mutexes[m].is_none(),
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
        self.choice().is_none() && !(0..self.tasks.len()).any(|task| self.enabled(task))
    }

    /// Executes the next step of an enabled task. No data choice may be open.
    pub fn step(&mut self, task: Task) -> Step {
        assert!(self.enabled(task), "task {task} is not enabled");
        let action = self.next(task);
        self.prepare_undo(task, action);
        let effect = match action {
            Action::Instr(instr) => self.execute(task, instr),
            Action::Second(instr) => {
                if let Instr::Wait(_, m) = instr {
                    self.mutexes[m] = Some(task);
                }
                self.meeting.second(task, instr)
            }
            Action::Choice(_) => unreachable!("a choice is not scheduled"),
            Action::End => {
                self.tasks[task].phase = Phase::Finished;
                Effect::NOTHING
            }
        };
        self.tasks[task].halfway = effect.halfway;
        if action != Action::End && !effect.halfway {
            self.advance(task);
        }
        self.record(task, action, effect)
    }

    /// Makes the open data choice.
    pub fn choose(&mut self, value: usize) -> Step {
        let (task, count) = self.choice().expect("a choice is open");
        assert!(value < count, "{value} is not below {count}");
        self.prepare_undo(task, Action::Choice(value));
        let effect = match self.picking.take() {
            Some((_, condvar)) => self.meeting.notify(condvar, value),
            None => {
                self.advance(task);
                Effect::seen(Observation::Chose(value))
            }
        };
        self.record(task, Action::Choice(value), effect)
    }

    fn prepare_undo(&mut self, task: Task, action: Action) {
        let meets = match action {
            Action::Instr(instr) | Action::Second(instr) => Meeting::concerns(instr),
            Action::Choice(_) => self.picking.is_some(),
            Action::End => false,
        };
        self.undo.push(Undo {
            pc: self.tasks[task].pc,
            halfway: self.tasks[task].halfway,
            logged: self.outcome.logs[task].len(),
            picking: self.picking,
            value: self.overwritten(action),
            meeting: meets.then(|| self.meeting.clone()),
        });
    }

    fn record(&mut self, task: Task, action: Action, effect: Effect) -> Step {
        self.outcome.logs[task].extend(effect.observed);
        let Effect { success, wakes, .. } = effect;
        let step = Step { task, index: self.tasks[task].steps, action, success, wakes };
        self.steps.push(step);
        self.tasks[task].steps += 1;
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

    /// Goes past the instruction just executed, and past each `Unlock` of, and `Wait` with, a mutex that
    /// the task does not hold.
    fn advance(&mut self, task: Task) {
        let list = &self.program.tasks[task];
        let pc = &mut self.tasks[task].pc;
        *pc += 1;
        while let Some(Instr::Unlock(m) | Instr::Wait(_, m)) = list.get(*pc)
            && self.mutexes[*m] != Some(task)
        {
            *pc += 1;
        }
    }

    /// The first step of an instruction.
    fn execute(&mut self, task: Task, instr: Instr) -> Effect {
        let atomics = &mut self.outcome.atomics;
        match instr {
            Instr::Load(a) => return Effect::seen(Observation::Loaded(atomics[a])),
            Instr::Store(a, value) => atomics[a] = value,
            Instr::Add(a, n) => {
                let old = atomics[a];
                atomics[a] = old.wrapping_add(n);
                return Effect::seen(Observation::Added(old));
            }
            Instr::Cas(a, expected, new) => {
                let old = atomics[a];
                let ok = old == expected;
                if ok {
                    atomics[a] = new;
                }
                return Effect::tried(ok, Observation::Compared { ok, old });
            }
            Instr::Lock(m) => self.mutexes[m] = Some(task),
            Instr::Unlock(m) => self.mutexes[m] = None,
            Instr::TryLock(m) => {
                let free = self.mutexes[m].is_none();
                if free {
                    self.mutexes[m] = Some(task);
                }
                return Effect::tried(free, Observation::Tried(free));
            }
            Instr::Read(r) => self.rwlocks[r].readers += 1,
            Instr::ReadUnlock(r) => self.rwlocks[r].readers -= 1,
            Instr::Write(r) => self.rwlocks[r].writer = true,
            Instr::WriteUnlock(r) => self.rwlocks[r].writer = false,
            Instr::Spawn(child) => self.tasks[child].phase = Phase::Live,
            Instr::Join(_) | Instr::Yield => {}
            Instr::IsFinished(child) => return Effect::seen(Observation::Finished(self.finished(child))),
            Instr::Park => self.tasks[task].token = false,
            Instr::Unpark(other) => {
                let other = &mut self.tasks[other];
                assert!(other.phase != Phase::Unborn, "unparks what does not exist");
                if other.phase == Phase::Live {
                    other.token = true;
                }
            }
            Instr::Choose(_) => unreachable!("a choice is not scheduled"),
            Instr::Wait(_, m) => {
                self.mutexes[m] = None;
                return self.meeting.first(task, instr);
            }
            Instr::NotifyOne(c) if self.meeting.waiters(c) > 1 => self.picking = Some((task, c)),
            _ => return self.meeting.first(task, instr),
        }
        Effect::NOTHING
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        let (Some(step), Some(undo)) = (self.steps.pop(), self.undo.pop()) else {
            panic!("there is no step to take back");
        };
        let task = step.task;
        self.tasks[task].pc = undo.pc;
        self.tasks[task].halfway = undo.halfway;
        self.tasks[task].steps -= 1;
        self.outcome.logs[task].truncate(undo.logged);
        self.picking = undo.picking;
        if let Some(meeting) = undo.meeting {
            self.meeting = meeting;
        }
        match step.action {
            Action::Instr(instr) => self.take_back(task, instr, step.success, undo.value),
            Action::Second(Instr::Wait(_, m)) => self.mutexes[m] = None,
            Action::Second(_) | Action::Choice(_) => {}
            Action::End => self.tasks[task].phase = Phase::Live,
        }
    }

    fn take_back(&mut self, task: Task, instr: Instr, success: bool, value: u64) {
        match instr {
            Instr::Store(a, _) | Instr::Add(a, _) | Instr::Cas(a, _, _) => {
                self.outcome.atomics[a] = value;
            }
            Instr::TryLock(m) if success => self.mutexes[m] = None,
            Instr::Lock(m) => self.mutexes[m] = None,
            Instr::Unlock(m) | Instr::Wait(_, m) => self.mutexes[m] = Some(task),
            Instr::Read(r) => self.rwlocks[r].readers -= 1,
            Instr::ReadUnlock(r) => self.rwlocks[r].readers += 1,
            Instr::Write(r) => self.rwlocks[r].writer = false,
            Instr::WriteUnlock(r) => self.rwlocks[r].writer = true,
            Instr::Spawn(child) => self.tasks[child].phase = Phase::Unborn,
            Instr::Park => self.tasks[task].token = true,
            Instr::Unpark(other) => self.tasks[other].token = value != 0,
            // The others change nothing, or only what was restored already.
            _ => {}
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
