//! A front end, as small as one can be: programs of a main task and adders that share a counter.
//!
//! Two things make a front end. A *subject* ([`Runner`]) runs a program under the core's control: it announces each operation before it
//! takes effect, keeps the core's set of enabled tasks exact, and says what is wrong with an execution that has ended. The *front end*
//! itself ([`Adders`], [`ToyWords`]) makes subjects for workers and knows what things are called.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use caissa_check::{Error, FrontEnd, Interrupts, Tending, Terms, Words, on_threads};
use caissa_core::class::Access;
use caissa_core::{
    Bug, Checker, DeadlockChecker, Ending, Execution, Guide, GuideSpec, Guides, Identity, Job, Next, Note,
    ObjectId, ObjectKind, Op, OpKind, Outcome, PanicChecker, PanicNote, Place, Source, TaskId,
};
use caissa_search::{Replay, Subject};

/// What a task does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Makes an adder.
    Spawn,
    /// Waits for the end of a task.
    Join(u32),
    /// Reads the counter.
    Load,
    /// Writes what was read, and one more.
    Store,
    /// Both in one step.
    Add,
    /// Fails unless the counter is this.
    Expect(u32),
    /// The task ends.
    End,
}

/// A program, each statement on a line of its own.
#[derive(Clone, Debug)]
pub struct Adders {
    pub main: Vec<Statement>,
    pub adder: Vec<Statement>,
    /// The user wants it to stop.
    pub interrupt: Option<&'static AtomicBool>,
    /// Every other time it is run, adders leave out their first statement.
    pub unsteady: bool,
}

const LINES: usize = 32;

/// Every place that a program can have. Places are kept for as long as the process lives.
static PLACES: [[Place; LINES]; 2] = [places(1), places(101)];

const fn places(first: u32) -> [Place; LINES] {
    let mut places = [Place { file: "adders.toy", line: 0, column: 5, call: "" }; LINES];
    let mut index = 0;
    while index < LINES {
        places[index].line = first + index as u32;
        index += 1;
    }
    places
}

#[derive(Clone, Debug, Default)]
struct Task {
    next: usize,
    read: u32,
}

/// Runs a program.
pub struct Runner {
    program: Arc<Adders>,
    terms: Terms,
    execution: Execution,
    tasks: Vec<Task>,
    counter: u32,
    runs: u32,
    bug: Option<Bug>,
}

struct BuiltIn;

impl Guides for BuiltIn {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        Guide::built_in(spec)
    }
}

impl Runner {
    fn new(program: Arc<Adders>, terms: Terms) -> Runner {
        let execution = terms.execution(true);
        Runner { program, terms, execution, tasks: Vec::new(), counter: 0, runs: 0, bug: None }
    }

    fn statement(&self, task: TaskId) -> (Statement, Source) {
        let (main, next) = (task == TaskId::MAIN, self.tasks[task.index()].next);
        let statements = if main { &self.program.main } else { &self.program.adder };
        let place = &PLACES[!main as usize][next];
        (statements.get(next).copied().unwrap_or(Statement::End), place.into())
    }

    /// A task has come to its next operation, which can take effect now or not: who goes on?
    fn announce(&mut self, task: TaskId) -> Next {
        let (statement, source) = self.statement(task);
        let (kind, object) = match statement {
            Statement::Spawn => (OpKind::Spawn, task.0),
            Statement::Join(other) => (OpKind::Join, other),
            Statement::Load | Statement::Expect(_) => (OpKind::Load, 0),
            Statement::Store => (OpKind::Store, 0),
            Statement::Add => (OpKind::Rmw, 0),
            Statement::End => (OpKind::End, task.0),
        };
        let op = Op::new(kind, ObjectId(object));
        match statement {
            Statement::Join(other) if !self.execution.has_ended(TaskId(other)) => {
                self.execution.block(op, source)
            }
            _ if self.execution.coast() => Next::Stay,
            _ => self.execution.point(op, source),
        }
    }

    /// A task takes its step and comes to the next one.
    fn step(&mut self, me: TaskId) -> Next {
        let (statement, source) = self.statement(me);
        let Task { read, .. } = self.tasks[me.index()];
        self.tasks[me.index()].next += 1;
        let before = self.counter;
        match statement {
            Statement::Spawn => {
                let child = self.execution.spawn();
                let skips = self.program.unsteady && self.runs.is_multiple_of(2);
                self.tasks.push(Task { next: skips as usize, read: 0 });
                self.execution.note(|| Note::Spawned(child));
                assert_eq!(self.announce(child), Next::Switch(me), "its first operation is known at once");
            }
            Statement::Join(other) => self.execution.touch(other as usize, Access::Write),
            Statement::Load | Statement::Expect(_) => {
                self.tasks[me.index()].read = before;
                self.execution.touch(0, Access::Read);
                self.execution.note(|| Note::Saw(before.to_string()));
            }
            Statement::Store | Statement::Add => {
                self.counter = if statement == Statement::Add { before + 1 } else { read + 1 };
                let after = self.counter;
                self.execution.touch(0, Access::Write);
                self.execution.note(|| Note::Changed(before.to_string(), after.to_string()));
            }
            Statement::End => return self.end(me),
        }
        match statement {
            Statement::Expect(expected) if expected != before => {
                let (message, source) = (format!("counter == {expected}"), source.to_string());
                let (kind, step) = ("assertion", self.execution.steps());
                let note =
                    PanicNote { kind, task: me, message, source, step, consumed: false, passed_on: None };
                self.execution.panicked(note);
                self.execution.end(Ending::Panicked)
            }
            _ => self.announce(me),
        }
    }

    fn end(&mut self, me: TaskId) -> Next {
        self.execution.touch(me.index(), Access::Write);
        if self.statement(TaskId::MAIN).0 == Statement::Join(me.0) {
            self.execution.enable(TaskId::MAIN);
        }
        self.execution.end_task()
    }

    fn run_execution(&mut self) {
        self.execution.start();
        self.tasks = vec![Task::default()];
        // Object 0 is the counter, the others are the tasks by whose ends others wait.
        (0..LINES).for_each(|object| self.execution.add_object(object));
        self.counter = 0;
        self.runs += 1;
        let mut running = TaskId::MAIN;
        let mut next = self.announce(running);
        while next != Next::End {
            if let Next::Switch(task) = next {
                running = task;
            }
            next = self.step(running);
        }
        let waits_for = |_| (1..self.tasks.len() as u32).map(TaskId).collect();
        let (mut panics, mut deadlocks) = (PanicChecker::default(), DeadlockChecker::default());
        let checkers: [&mut dyn Checker; 2] = [&mut panics, &mut deadlocks];
        self.bug = checkers.into_iter().find_map(|checker| checker.ended(&self.execution, &waits_for));
        self.execution.finish();
    }
}

impl Subject for Runner {
    fn run(&mut self, job: &Job) -> Outcome {
        if self.execution.begin(job, &BuiltIn) {
            loop {
                self.run_execution();
                self.terms.pulse.count();
                let failed = self.bug.is_some() || self.execution.ending() == Some(&Ending::Diverged);
                if failed {
                    self.execution.report_failure(self.execution.failure());
                }
                if self.execution.ending() == Some(&Ending::StepLimit) {
                    self.terms.pulse.keep_cut_off(self.execution.failure());
                }
                if failed || self.terms.pulse.is_asked_to_stop() || !self.execution.advance() {
                    break;
                }
            }
        }
        self.execution.outcome(job)
    }

    fn replay(&mut self, job: &Job) -> Replay {
        self.execution.begin(job, &BuiltIn);
        self.run_execution();
        Replay {
            trace: self.execution.take_trace().expect("a replay is traced"),
            ending: self.execution.ending().cloned().expect("it has ended"),
            bug: self.bug.clone(),
            spent: self.execution.spent(),
            failure: self.execution.failure(),
            digest: 0,
        }
    }

    fn task_names(&self) -> Vec<Option<String>> {
        (0..self.tasks.len()).map(|task| (task > 0).then(|| "adder".to_owned())).collect()
    }

    fn object_name(&self, kind: ObjectKind, _: ObjectId) -> Option<String> {
        (kind == ObjectKind::Atomic).then(|| "counter".to_owned())
    }

    fn pending(&self) -> Vec<(TaskId, Op, Source)> {
        self.execution.all_pending()
    }
}

impl FrontEnd for Adders {
    type Subject = Runner;
    type Error = Error;

    fn at_work<R: Send>(
        &self,
        terms: Vec<Terms>,
        tending: &mut Tending<'_>,
        work: impl Fn(&mut Runner) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        let program = Arc::new(self.clone());
        Ok(on_threads(terms, tending, |terms| work(&mut Runner::new(Arc::clone(&program), terms))))
    }

    /// A front end has a letter of its own; this one borrows that of models.
    fn identity(&self) -> Identity {
        Identity::MODEL
    }

    fn words(&self) -> &'static dyn Words {
        &ToyWords
    }

    fn replay_command(&self, schedule: &str) -> String {
        format!("toy replay '{schedule}' adders.toy")
    }

    fn resume_command(&self, file: &Path) -> String {
        format!("toy check adders.toy --resume {}", file.display())
    }

    fn file_name(&self) -> String {
        "adders.toy".to_owned()
    }

    fn own_settings(&self) -> Vec<(&'static str, String)> {
        vec![("program", "adders.toy".to_owned())]
    }

    fn interrupts(&self, _resumable: bool) -> Option<Box<dyn Interrupts + '_>> {
        self.interrupt.map(|flag| Box::new(flag) as Box<dyn Interrupts>)
    }
}

/// What things are called.
#[derive(Debug)]
struct ToyWords;

impl Words for ToyWords {
    fn option(&self, name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }

    fn panicked(&self, task: &str, note: &PanicNote) -> String {
        format!("{} failed at {} in task {task}: {}.", note.kind, note.source, note.message)
    }

    fn more_of_a_trace(&self) -> String {
        "`--full` shows every step.".to_owned()
    }

    fn trace_file(&self) -> String {
        "`--trace`".to_owned()
    }

    fn nothing_shared(&self) -> &'static str {
        "Does anybody add anything?"
    }

    fn how_to_yield(&self) -> &'static str {
        unreachable!("adders have no loops")
    }

    fn left_waiting(&self) -> &'static str {
        unreachable!("adders do not wait")
    }

    fn what_orders(&self) -> &'static str {
        unreachable!("adders have no data")
    }

    fn what_can_differ(&self) -> &'static str {
        "a switch called unsteady"
    }
}
