//! exec: models as a subject of the core. Every search, fairness, races, minimising and replay work on them as they do on code.
//!
//! A model's task is a task of the core. It comes to a point at a yield, a zield, a pause, where it blocks, where it is interrupted, and
//! at its end; the enabled tasks are then exactly those that the rules let go on ([`Config::candidates`]). A choice in the model is a
//! data choice. What a task does up to its next point is one step.
//!
//! Happens-before for races on `plain` globals: docs/language.md. Classes follow the accesses of the other globals.

mod endless;
mod observer;
pub(crate) mod places;

use std::sync::Arc;

use caissa_core::class::Access;
use caissa_core::{
    Bug, Checker, DeadlockChecker, Ending, Execution, Failure, Guide, GuideSpec, Guides, Identity, Job,
    LivenessChecker, Next, ObjectId, ObjectKind, Op, OpKind, Outcome, PanicChecker, PanicNote, RaceChecker,
    Source, TaskId,
};
use caissa_search::{Pulse, Replay, Subject};

use self::observer::Observer;
use crate::code::{Code, Fault, Instr};
use crate::ir::{BufferId, LevelId, ProcId};
use crate::machine::run::{LONG, MANY_POSTS, choose, holds, is_any, run, run_on};
use crate::machine::{Config, Globals, Listed, Scope, Stop, Task, Tasks as _};

/// How models are executed.
#[derive(Clone, Debug)]
pub struct ExecSettings {
    /// Every so many yields of a task count; 0 is no fairness.
    pub fair_k: u32,
    /// Data races are looked for.
    pub races: bool,
    /// Classes are counted.
    pub classes: bool,
    /// Executions without end are judged although the scheduler is not fair: they are known to be.
    pub known_fair: bool,
    /// Levels are ignored: what a tool finds that knows nothing of them. For tests only.
    #[doc(hidden)]
    pub ignore_levels: bool,
}

impl Default for ExecSettings {
    fn default() -> ExecSettings {
        ExecSettings { fair_k: 1, races: true, classes: true, known_fair: false, ignore_levels: false }
    }
}

/// What is known of a task beside its program counter and frames.
#[derive(Clone, Debug, Default)]
struct Info {
    proc: u32,
    args: Vec<i32>,
    /// The tasks that ran while it was interrupted and have ended.
    after: Vec<TaskId>,
}

/// A model that runs jobs.
pub struct Exec {
    code: Arc<Code>,
    settings: ExecSettings,
    execution: Execution,
    /// For executions beside those of the present job.
    aside: Option<Box<Execution>>,
    globals: Globals,
    config: Config,
    tasks: Vec<Task>,
    infos: Vec<Info>,
    task_count: usize,
    /// Who holds which lock, by slot.
    holders: Vec<Option<TaskId>>,
    /// Where each instruction stands.
    places: Arc<[Source]>,
    bug: Option<Bug>,
    /// What it tells of its work, if somebody looks after it.
    pulse: Option<Arc<Pulse>>,
    candidates: Vec<bool>,
    /// The core has decided who goes on, and traces have an event for what that task does first.
    decided: bool,
}

macro_rules! known {
    ($exec:expr) => {
        Listed {
            code: &$exec.code,
            tasks: &$exec.tasks,
            globals: &$exec.globals.slots,
            ignore_levels: $exec.settings.ignore_levels,
        }
    };
}

impl Exec {
    /// A subject that runs a model.
    pub fn new(code: Arc<Code>, settings: ExecSettings) -> Exec {
        let identity = Identity { fair_k: settings.fair_k, ..Identity::MODEL };
        Exec::with_identity(code, settings, identity)
    }

    /// As [`Exec::new`], for schedules with this identity.
    pub(crate) fn with_identity(mut code: Arc<Code>, settings: ExecSettings, identity: Identity) -> Exec {
        if settings.ignore_levels {
            Arc::make_mut(&mut code).serial.fill(false);
        }
        let places = places::places(&code);
        Exec {
            execution: Execution::new(settings.classes, identity),
            aside: None,
            globals: Globals::default(),
            config: Config::default(),
            tasks: Vec::new(),
            infos: Vec::new(),
            task_count: 0,
            holders: Vec::new(),
            places,
            bug: None,
            pulse: None,
            candidates: Vec::new(),
            decided: false,
            code,
            settings,
        }
    }

    /// Tells this pulse of its work from now on.
    pub(crate) fn attend(&mut self, pulse: Arc<Pulse>) {
        self.pulse = Some(pulse);
    }

    /// The settings that go into schedules.
    pub fn identity(&self) -> Identity {
        self.execution.identity()
    }

    /// The globals at the end of the execution that ran last.
    #[doc(hidden)]
    pub fn globals(&self) -> &[i32] {
        &self.globals.slots
    }

    /// How the execution that ran last ended.
    pub fn ending(&self) -> Option<&Ending> {
        self.execution.ending()
    }

    /// Makes the next task; it waits for its dispatch.
    fn new_task(&mut self, id: TaskId, buffer: u32, proc: ProcId, level: LevelId) {
        let index = id.index();
        if self.tasks.len() <= index {
            self.tasks.resize_with(index + 1, Task::default);
            self.infos.resize_with(index + 1, Info::default);
        }
        self.task_count = index + 1;
        self.tasks[index].begin(&self.code, BufferId(buffer), proc, &self.globals.args, level);
        let info = &mut self.infos[index];
        info.proc = proc.0;
        info.args.clear();
        info.args.extend_from_slice(&self.globals.args);
        info.after.clear();
    }

    fn spawn(&mut self, buffer: u32, proc: ProcId, level: LevelId) -> TaskId {
        let id = self.execution.spawn();
        self.new_task(id, buffer, proc, level);
        let (op, source) = self.pending(id);
        self.execution.block(op, source);
        id
    }

    /// What a task does next.
    fn pending(&self, task: TaskId) -> (Op, Source) {
        let pc = self.code.next_statement(self.tasks[task.index()].pc);
        (Op::new(OpKind::Statement, ObjectId(pc)), self.places[pc as usize])
    }

    fn start(&mut self) {
        let code = Arc::clone(&self.code);
        self.globals.slots.clone_from(&code.init);
        self.globals.args.clear();
        self.config = Config::new(code.program.buffers.len());
        self.holders.clear();
        self.holders.resize(code.init.len(), None);
        self.task_count = 0;
        self.bug = None;
        self.decided = false;
        self.execution.start();
        if self.settings.known_fair && self.execution.is_traced() {
            // Who can go on is written down only where points are looked at.
            self.execution.watch();
        }
        for object in 0..code.init.len() + code.program.buffers.len() {
            self.execution.add_object(object);
        }
        for (n, buffer) in code.program.buffers.iter().enumerate() {
            if n == 0 {
                self.new_task(TaskId::MAIN, 0, buffer.main, LevelId(0));
                self.config.buffers[0].active.push(0);
                self.begin_serial(TaskId::MAIN);
            } else {
                let id = self.spawn(n as u32, buffer.main, LevelId(0));
                self.config.buffers[n].pending.push(id.0);
            }
        }
    }

    /// Runs one execution of the present job.
    fn run_execution(&mut self) {
        self.start();
        let mut current = TaskId::MAIN;
        // Since the last point.
        let mut posts = 0;
        loop {
            let stop = self.run_task(current);
            posts = if matches!(stop, Stop::Post { .. }) { posts + 1 } else { 0 };
            let next = match stop {
                Stop::Long => self.execution.end(Ending::StepLimit),
                Stop::Post { .. } if posts > MANY_POSTS => self.execution.end(Ending::StepLimit),
                Stop::Choose { lo, hi } => self.choose(current, lo, hi),
                other => self.at_stop(current, other),
            };
            match next {
                Next::Stay => self.go_on(current, current),
                Next::Switch(task) => {
                    self.go_on(current, task);
                    current = task;
                }
                Next::End => break,
            }
            if self.execution.ending().is_some() {
                break;
            }
        }
        self.bug = self.find_bug();
    }

    fn run_task(&mut self, current: TaskId) -> Stop {
        let Exec { code, globals, tasks, execution, places, .. } = self;
        let at_point = std::mem::take(&mut self.decided);
        let mut observer = Observer::new(code, execution, places, &mut self.holders, at_point);
        let task = &mut tasks[current.index()];
        let mut stop = run(code, globals, task, &mut observer, &mut LONG.clone());
        let mut endless = false;
        if stop == Stop::Long {
            match run_on(code, globals, task, &mut observer) {
                Ok(later) => stop = later,
                Err(()) => endless = true,
            }
        }
        observer.end(task);
        if endless {
            self.fail(current, "good-samaritan", "runs for ever without a scheduling point");
            return Stop::Stopped;
        }
        stop
    }

    fn choose(&mut self, current: TaskId, lo: i32, hi: i32) -> Next {
        let source = self.places[self.tasks[current.index()].pc as usize];
        let position = match is_any(lo, hi) {
            false => self.execution.choose(hi.abs_diff(lo) + 1, source),
            // As `picks` has it.
            true => match self.execution.choose(2, source) {
                Some(0) => self.execution.choose(u32::MAX, source),
                highest => highest.map(|_| u32::MAX),
            },
        };
        let Some(position) = position else { return Next::End };
        let Exec { code, globals, tasks, execution, places, .. } = self;
        let mut observer = Observer::new(code, execution, places, &mut self.holders, false);
        let task = &mut tasks[current.index()];
        let value = lo.wrapping_add_unsigned(position);
        observer.chooses(task.pc, value);
        match choose(code, globals, task, &mut observer, value) {
            Ok(()) => Next::Stay,
            Err(fault) => {
                self.fault(current, fault);
                Next::End
            }
        }
    }

    /// The running task has stopped: the rules say who may go on, the core says who does.
    fn at_stop(&mut self, current: TaskId, stop: Stop) -> Next {
        let n = self.tasks[current.index()].buffer;
        match stop {
            Stop::Yield | Stop::Pause => {
                if stop == Stop::Pause {
                    self.execution.yields();
                }
                self.config.yield_(&known!(self), n);
                self.point(current, Some(n))
            }
            Stop::Zield | Stop::Blocked => self.point(current, None),
            Stop::Post { proc, level } => self.post(current, proc, level),
            Stop::Ended => self.end_task(current),
            Stop::Discarded => self.execution.end(Ending::Discarded),
            Stop::Failed(fault) => {
                self.fault(current, fault);
                Next::End
            }
            Stop::Stopped => Next::End,
            Stop::Choose { .. } | Stop::Long => unreachable!("seen to before"),
        }
    }

    /// A choice among the tasks of a buffer, if one is given and the running task could go on; else of all buffers.
    fn point(&mut self, current: TaskId, buffer: Option<u32>) -> Next {
        self.config.block(&known!(self));
        let able = !known!(self).is_blocked(current.0);
        let scope = buffer.filter(|_| able).map_or(Scope::All, Scope::Buffer);
        self.enable(scope);
        self.decided = true;
        let (op, source) = self.pending(current);
        if self.candidates[current.index()] {
            if self.execution.coast() { Next::Stay } else { self.execution.point(op, source) }
        } else {
            self.execution.block(op, source)
        }
    }

    /// Tells the core which tasks may go on.
    fn enable(&mut self, scope: Scope) {
        let Exec { config, candidates, .. } = self;
        candidates.clear();
        candidates.resize(self.task_count, false);
        let known = Listed {
            code: &self.code,
            tasks: &self.tasks,
            globals: &self.globals.slots,
            ignore_levels: self.settings.ignore_levels,
        };
        config.candidates(&known, scope, &mut |_, task| candidates[task as usize] = true);
        for (index, &candidate) in candidates.iter().enumerate() {
            if candidate {
                self.execution.enable(TaskId(index as u32));
            } else {
                self.execution.disable(TaskId(index as u32));
            }
        }
    }

    fn post(&mut self, current: TaskId, proc: ProcId, level: LevelId) -> Next {
        let n = self.tasks[current.index()].buffer;
        let task = self.spawn(n, proc, level);
        if !self.config.post(&known!(self), n, task.0) {
            return Next::Stay;
        }
        self.config.dispatch(n, task.0);
        self.candidates.clear();
        self.candidates.resize(self.task_count, false);
        for other in (0..self.task_count as u32).map(TaskId) {
            if other != task {
                self.execution.disable(other);
            }
        }
        self.execution.enable(task);
        self.decided = true;
        let (op, source) = self.pending(current);
        self.execution.block(op, source)
    }

    fn end_task(&mut self, current: TaskId) -> Next {
        let Task { buffer: n, level, .. } = self.tasks[current.index()];
        if self.execution.has_clocks() && self.code.serial[level as usize] {
            self.execution.release(self.code.init.len() + n as usize, Access::Write);
        }
        self.config.resume(n);
        if let Some(&below) = self.config.buffers[n as usize].active.last() {
            self.infos[below as usize].after.push(current);
        }
        if self.config.is_terminated() {
            for (number, condition) in self.code.finals.iter().enumerate() {
                let fault = match holds(condition, &self.globals.slots) {
                    Ok(true) => continue,
                    Ok(false) => Fault::Final(number as u32),
                    Err(fault) => fault,
                };
                let span = self.code.program.finals[number].span;
                let source = places::place(&self.code.program.source, span).to_string();
                self.report(current, fault.kind(), self.code.describe(fault), source);
                return Next::End;
            }
        }
        self.config.block(&known!(self));
        let scope = self.config.scope_at_end(&known!(self), n);
        self.enable(scope);
        self.decided = true;
        self.execution.end_task()
    }

    /// A task goes on, as the core has decided.
    fn go_on(&mut self, from: TaskId, task: TaskId) {
        let n = self.tasks[task.index()].buffer;
        let was_active = self.config.buffers[n as usize].active.last() == Some(&task.0);
        self.config.go_on(&known!(self), n, task.0);
        if !was_active || from != task {
            self.begin_serial(task);
        }
        for other in self.infos[task.index()].after.drain(..) {
            if self.execution.has_clocks() {
                self.execution.acquire_task(other);
            }
        }
    }

    /// A task of a serial level comes after all that have ended in its buffer.
    fn begin_serial(&mut self, task: TaskId) {
        let Task { buffer, level, .. } = self.tasks[task.index()];
        if self.execution.has_clocks() && self.code.serial[level as usize] {
            self.execution.acquire(self.code.init.len() + buffer as usize, Access::Write);
        }
    }

    fn fault(&mut self, task: TaskId, fault: Fault) {
        let message = self.code.describe(fault);
        self.fail(task, fault.kind(), &message);
    }

    fn fail(&mut self, task: TaskId, kind: &'static str, message: &str) {
        let source = self.places[self.tasks[task.index()].pc as usize].to_string();
        self.report(task, kind, message.to_owned(), source);
    }

    fn report(&mut self, task: TaskId, kind: &'static str, message: String, source: String) {
        let step = self.execution.steps();
        let note = PanicNote { kind, task, message, source, step, consumed: false, passed_on: None };
        self.execution.panicked(note);
        self.execution.end(Ending::Panicked);
    }

    fn find_bug(&self) -> Option<Bug> {
        if self.execution.ending() == Some(&Ending::Complete) {
            return None;
        }
        let waits_for = |task: TaskId| self.waits_for(task);
        let mut panics = PanicChecker::default();
        let mut deadlocks = DeadlockChecker::default();
        let mut endless = LivenessChecker { known_fair: self.settings.known_fair, ..Default::default() };
        let checkers: [&mut dyn Checker; 4] = [&mut RaceChecker, &mut panics, &mut deadlocks, &mut endless];
        let mut bug = checkers.into_iter().find_map(|checker| checker.ended(&self.execution, &waits_for))?;
        if let Bug::Deadlock { blocked, .. } = &mut bug {
            for blocked in blocked {
                let pc = self.code.next_statement(self.tasks[blocked.task.index()].pc);
                blocked.clause = Some(self.code.program.source.excerpt(self.code.spans[pc as usize]));
            }
        }
        Some(bug)
    }

    fn waits_for(&self, task: TaskId) -> Vec<TaskId> {
        let task = &self.tasks[task.index()];
        let pc = self.code.next_statement(task.pc);
        match &self.code.instrs[pc as usize] {
            Instr::Lock(target) => crate::machine::run::lock_slot(target, &self.globals.slots, task)
                .and_then(|slot| self.holders[slot as usize])
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    fn judge(&self) -> Option<Failure> {
        let failed = match self.execution.ending() {
            Some(Ending::Diverged | Ending::Misused | Ending::Raced) => true,
            _ => self.bug.is_some(),
        };
        failed.then(|| self.execution.failure())
    }
}

/// The guides that models know: those that are built in.
struct BuiltIn;

impl Guides for BuiltIn {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        Guide::built_in(spec)
    }
}

impl Subject for Exec {
    fn run(&mut self, job: &Job) -> Outcome {
        if !self.execution.begin(job, &BuiltIn) {
            return self.execution.outcome(job);
        }
        self.execution.set_clocks(self.settings.races && self.code.has_data());
        loop {
            self.run_execution();
            self.execution.finish();
            if let Some(pulse) = &self.pulse {
                pulse.count();
            }
            self.confirm_endless(job);
            if let Some(failure) = self.judge().or_else(|| self.look_closer(job)) {
                self.execution.report_failure(failure);
                break;
            }
            if self.pulse.as_ref().is_some_and(|pulse| pulse.is_asked_to_stop()) || !self.execution.advance()
            {
                break;
            }
        }
        self.execution.outcome(job)
    }

    fn replay(&mut self, job: &Job) -> Replay {
        self.execution.begin(job, &BuiltIn);
        self.execution.set_clocks(self.settings.races && self.code.has_data());
        self.run_execution();
        self.execution.finish();
        self.confirm_endless(job);
        Replay {
            trace: self.execution.take_trace().expect("a replay is traced"),
            ending: self.execution.ending().cloned().unwrap_or(Ending::Complete),
            bug: self.bug.clone(),
            spent: self.execution.spent(),
            failure: self.execution.failure(),
            digest: 0,
        }
    }

    /// Their procedures with arguments.
    fn task_names(&self) -> Vec<Option<String>> {
        let name = |info: &Info| {
            let proc = &self.code.program.procs[info.proc as usize];
            let args = info.args.iter().zip(&proc.locals);
            let args: Vec<String> =
                args.map(|(&arg, var)| var.ty.show(arg, &self.code.program.enums)).collect();
            Some(format!("{}({})", proc.name, args.join(", ")))
        };
        self.infos[..self.task_count].iter().map(name).collect()
    }

    fn object_name(&self, kind: ObjectKind, object: ObjectId) -> Option<String> {
        match kind {
            ObjectKind::Statement => {
                Some(self.code.program.source.excerpt(self.code.spans[object.0 as usize]))
            }
            ObjectKind::Cell => Some(self.code.slot_name(object.0)),
            _ => None,
        }
    }

    fn pending(&self) -> Vec<(TaskId, Op, Source)> {
        self.execution.all_pending()
    }

    fn keep_notes(&mut self, keep: bool) {
        self.execution.keep_notes(keep);
    }
}
