//! A program as a subject: it runs jobs, in whatever processes that takes.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use caissa_check::Terms;
use caissa_core::{
    Ending, Failure, Job, Limit, ObjectId, ObjectKind, Op, Outcome, PointSet, Schedule, Scope, Source,
    TaskId, Trace,
};
use caissa_search::{Replay, Subject};
use caissa_wire::{Halt, Misuse, Mode, Ran, Reply, Request, Seals, Setup};

use crate::misuse::NativeError;
use crate::names::{Names, leave_out_harness, translate};
use crate::places::{Places, Spins};
use crate::process::{Gone, Process, Wanted};
use crate::settings::{ModeSetting, NativeSettings};

/// What all workers of a check know.
#[derive(Debug)]
pub(crate) struct Shared {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    mode: Mode,
    /// Room for so many tasks.
    tasks: u32,
    /// Why the check cannot go on.
    error: Option<NativeError>,
    /// Why executions are run in copies although nobody has asked for it.
    left: Option<String>,
    sealed: bool,
    /// Set when the user interrupts the check.
    interrupted: Option<&'static AtomicBool>,
}

/// At first there is room for so many tasks beside the main one.
const FIRST_TASKS: u32 = 8;
/// And never for more than this.
const MOST_TASKS: u32 = 2048;

impl Shared {
    pub(crate) fn new(mode: ModeSetting) -> Shared {
        let mode = match mode {
            ModeSetting::Auto => Mode::InProcess,
            ModeSetting::Only(mode) => mode,
        };
        Shared {
            inner: Mutex::new(Inner {
                mode,
                tasks: FIRST_TASKS,
                error: None,
                left: None,
                sealed: false,
                interrupted: None,
            }),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The check ends when this is set.
    pub(crate) fn until(&self, interrupted: Option<&'static AtomicBool>) {
        self.lock().interrupted = interrupted;
    }

    /// Why the check cannot go on.
    pub(crate) fn error(&self) -> Option<NativeError> {
        self.lock().error.clone()
    }

    /// It can go on after all.
    pub(crate) fn forgive(&self) {
        self.lock().error = None;
    }

    /// Some schedule was left out by a seal.
    pub(crate) fn has_sealed(&self) -> bool {
        self.lock().sealed
    }

    pub(crate) fn set_sealed(&self) {
        self.lock().sealed = true;
    }

    /// Why executions are run in copies, if somebody has to be told.
    pub(crate) fn left(&self) -> Option<String> {
        self.lock().left.clone()
    }
}

/// Runs the executions of one worker.
#[allow(missing_debug_implementations)]
pub struct Program {
    settings: NativeSettings,
    terms: Terms,
    shared: Arc<Shared>,
    places: Places,
    /// Which worker it is.
    number: u32,
    process: Option<(Process, Mode, u32)>,
    notes: bool,
    names: Names,
}

impl Program {
    pub(crate) fn new(
        settings: NativeSettings,
        terms: Terms,
        shared: Arc<Shared>,
        places: Places,
        number: u32,
    ) -> Program {
        Program {
            settings,
            terms,
            shared,
            places,
            number,
            process: None,
            notes: true,
            names: Names::default(),
        }
    }

    fn setup(&self, mode: Mode, tasks: u32) -> Setup {
        let Spins { spins, relaxes } = self.places.spins(&self.settings.program);
        Setup {
            mode,
            identity: self.terms.identity,
            classes: self.terms.classes,
            races: self.terms.races,
            promoted: self.places.code_at(&self.terms.promoted),
            tasks,
            exit_fails: self.settings.exit_fails,
            memory: self.settings.heap << 20,
            patience: self.settings.patience,
            seals: self.seals(),
            spins,
            relaxes,
            pauses: self.places.pauses(),
            private: if self.settings.all_atomics { Vec::new() } else { self.places.private() },
            own_functions: self.places.own_functions(),
            bodies: self.places.bodies(),
            looked_at: self.places.files(),
            stops: self.settings.debugger,
            processor: processor(self.settings.processor + self.number),
            harness: self.settings.harness,
        }
    }

    fn seals(&self) -> Option<Seals> {
        let code_of = |names: &[String]| names.iter().flat_map(|name| self.places.code_of(name)).collect();
        let (inside, outside) = (&self.settings.no_preempt, &self.settings.preempt_only);
        (!inside.is_empty() || !outside.is_empty()).then(|| Seals {
            inside: code_of(inside),
            outside: (!outside.is_empty()).then(|| code_of(outside)),
        })
    }

    /// The process that runs executions; it is started if there is none that fits.
    fn process(&mut self) -> Result<&mut Process, NativeError> {
        let (mode, tasks) = {
            let shared = self.shared.lock();
            (shared.mode, shared.tasks)
        };
        let fits = self.process.as_ref().is_some_and(|(_, has, room)| (*has, *room) == (mode, tasks));
        if !fits {
            self.process = None;
            let process = Process::start(&self.settings, |hello| {
                self.places.set_modules(&hello.modules);
                self.setup(mode, tasks)
            })?;
            self.process = Some((process, mode, tasks));
        }
        Ok(&mut self.process.as_mut().expect("just made").0)
    }

    /// Asks until there is an answer that somebody can use; `None` if the check cannot go on.
    fn ask(&mut self, request: &Request) -> Option<Reply> {
        loop {
            if self.shared.lock().error.is_some() {
                return None;
            }
            let pulse = Arc::clone(&self.terms.pulse);
            let program = self.settings.program.clone();
            let interrupted = self.shared.lock().interrupted;
            let is_interrupted = move || interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
            let process = match self.process() {
                Ok(process) => process,
                Err(error) => {
                    self.fail(error);
                    return None;
                }
            };
            let mut counted = None;
            let counts = matches!(request, Request::Run(_));
            let reply = process.ask(request, |journal| {
                let executions = journal.executions.load(Ordering::Relaxed);
                let before = *counted.get_or_insert(executions);
                if counts {
                    (before..executions).for_each(|_| pulse.count());
                }
                counted = Some(executions);
                if journal.stopped.swap(0, Ordering::Relaxed) != 0 {
                    debug(&program, journal.process.load(Ordering::Relaxed));
                }
                // A single execution is part of an answer, budgets apart.
                if is_interrupted() || (counts && pulse.is_asked_to_stop()) {
                    journal.stop.store(1, Ordering::Relaxed);
                    Wanted::Stop
                } else {
                    Wanted::Answer
                }
            });
            if reply.is_err() && (is_interrupted() || (counts && self.terms.pulse.is_asked_to_stop())) {
                // Nobody waits for an execution that does not end.
                self.process = None;
                if !counts {
                    self.fail(NativeError::Interrupted);
                }
                return None;
            }
            match reply {
                Ok(Reply::Refused(why)) => self.leave(why),
                Ok(reply) => match halt_of(&reply).cloned() {
                    None => return Some(reply),
                    Some(Halt::Tasks(count)) => self.make_room(count),
                    Some(Halt::Files(modules)) => {
                        self.process = None;
                        if !self.places.add_files(&modules) {
                            let what =
                                "the program loads libraries with other names in each execution".to_owned();
                            self.fail(NativeError::Misused { what, stack: Vec::new() });
                        }
                    }
                    Some(Halt::Leave(why)) => self.leave(why),
                    Some(Halt::Misused(misuse)) => {
                        self.fail_by(misuse);
                        return None;
                    }
                },
                Err(Gone) => self.lost(),
            }
        }
    }

    fn fail(&self, error: NativeError) {
        self.shared.lock().error.get_or_insert(error);
    }

    fn fail_by(&mut self, misuse: Misuse) {
        let Misuse { what, task, stack } = misuse;
        let stack = self.places.stack(&stack);
        self.fail(NativeError::Misused { what: format!("thread {task} {what}"), stack });
    }

    /// The program needs more tasks than there is room for.
    fn make_room(&mut self, count: u32) {
        let mut shared = self.shared.lock();
        if shared.tasks >= MOST_TASKS {
            let what = format!("the program starts more than {MOST_TASKS} threads");
            shared.error.get_or_insert(NativeError::Misused { what, stack: Vec::new() });
        }
        shared.tasks = shared.tasks.max(count).min(MOST_TASKS);
    }

    /// Executions cannot be run in one process.
    fn leave(&mut self, why: String) {
        let mut shared = self.shared.lock();
        if shared.mode != Mode::InProcess {
            shared.error.get_or_insert(NativeError::Refused(why));
        } else if self.settings.mode == ModeSetting::Only(Mode::InProcess) {
            shared.error.get_or_insert(NativeError::Refused(format!("{why} (--mode inproc)")));
        } else {
            shared.mode = Mode::Fork;
            shared.left.get_or_insert(why);
        }
    }

    /// The process is gone.
    fn lost(&mut self) {
        let how = self.process.take().map_or(String::new(), |(mut process, ..)| process.ended());
        let in_process = self.shared.lock().mode == Mode::InProcess;
        if in_process {
            self.leave("it ends the process by itself".to_owned());
        } else {
            self.fail(NativeError::Died(how));
        }
    }

    /// Runs a job in processes of their own, one for each execution.
    fn run_one_by_one(&mut self, job: &Job) -> Outcome {
        let mut total = Outcome::default();
        let mut left = job.limit.executions;
        let mut rest = vec![job.clone()];
        while left > 0
            && !self.terms.pulse.is_asked_to_stop()
            && let Some(next) = rest.pop()
        {
            left -= 1;
            let one = Job { limit: Limit { executions: 1, ..next.limit }, ..next.clone() };
            let Some(outcome) = self.run_job(&one) else { break };
            self.process = None;
            if let Scope::Samples(first) = next.scope {
                rest.push(Job { scope: Scope::Samples(first + 1), ..next });
            }
            let failed = outcome.failure.is_some();
            rest.extend(merge(&mut total, outcome).into_iter().rev());
            if failed {
                break;
            }
        }
        if !matches!(job.scope, Scope::Samples(_)) {
            total.rest = rest.into_iter().rev().map(|rest| Job { limit: job.limit, ..rest }).collect();
        }
        total
    }

    fn run_job(&mut self, job: &Job) -> Option<Outcome> {
        match self.ask(&Request::Run(job.clone()))? {
            Reply::Ran(ran) => {
                let Ran { outcome, cut_off, sealed, .. } = *ran;
                if let Some(failure) = cut_off {
                    self.terms.pulse.keep_cut_off(failure);
                }
                if sealed {
                    self.shared.set_sealed();
                }
                Some(outcome)
            }
            _ => {
                self.fail(NativeError::Died(": it does not answer what it is asked".to_owned()));
                None
            }
        }
    }
}

/// Lets the user look at a process that has stopped.
fn debug(program: &Path, process: u32) {
    let mut debugger = Command::new("gdb");
    debugger.args(["-q", "-iex", "set debuginfod enabled off", "-p", &process.to_string()]).arg(program);
    if let Err(error) = debugger.status() {
        caissa_check::say(format_args!("caissa: gdb cannot be run: {error}\n"));
    }
    crate::process::go_on(process);
}

/// Why the process that answered so cannot go on.
fn halt_of(reply: &Reply) -> Option<&Halt> {
    match reply {
        Reply::Ran(ran) => ran.halt.as_ref(),
        Reply::Replayed(replayed) => replayed.halt.as_ref(),
        Reply::Hello(_) | Reply::Refused(_) => None,
    }
}

/// Adds what came of one execution; what it has left to do is returned.
fn merge(total: &mut Outcome, one: Outcome) -> Vec<Job> {
    total.executions += one.executions;
    total.cut += one.cut;
    total.pruned += one.pruned;
    total.discarded += one.discarded;
    total.step_limited += one.step_limited;
    total.redundant += one.redundant;
    total.steps += one.steps;
    total.longest = total.longest.max(one.longest);
    total.classes.extend(one.classes);
    total.records.extend(one.records);
    total.yields |= one.yields;
    total.leaves_out |= one.leaves_out;
    total.unreachable |= one.unreachable;
    total.profile = total.profile.take().or(one.profile);
    total.failure = total.failure.take().or(one.failure);
    one.rest
}

/// The processor of the worker with this number.
fn processor(number: u32) -> Option<u32> {
    let allowed = std::fs::read_to_string("/proc/self/status").ok()?;
    let list = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().to_owned();
    let all: Vec<u32> = list
        .split(',')
        .filter_map(|part| match part.split_once('-') {
            Some((from, to)) => Some(from.parse().ok()?..=to.parse().ok()?),
            None => part.parse().ok().map(|one| one..=one),
        })
        .flatten()
        .collect();
    // Checks that run at the same time do not all want the same one.
    let first = std::process::id() as usize;
    all.get((first + number as usize) % all.len().max(1)).copied()
}

impl Subject for Program {
    fn run(&mut self, job: &Job) -> Outcome {
        if self.shared.lock().mode == Mode::Os {
            return self.run_one_by_one(job);
        }
        // What could not be run is left to do.
        self.run_job(job).unwrap_or_else(|| Outcome { rest: vec![job.clone()], ..Outcome::default() })
    }

    fn replay(&mut self, job: &Job) -> Replay {
        match self.ask(&Request::Replay(job.clone(), self.notes)) {
            Some(Reply::Replayed(replayed)) => {
                if !replayed.modules.is_empty() {
                    self.places.set_modules(&replayed.modules);
                }
                let promotes = self.terms.identity.points != PointSet::Sync;
                let (mut replay, mut names) =
                    translate(&self.places, &self.terms.promoted, promotes, *replayed);
                if self.settings.harness {
                    names.of_harness();
                    leave_out_harness(&mut replay);
                }
                self.names = names;
                if self.shared.lock().mode == Mode::Os {
                    self.process = None;
                }
                replay
            }
            _ => nothing(job, self.terms.identity),
        }
    }

    fn can_go_on(&self) -> bool {
        self.shared.lock().error.is_none()
    }

    fn task_names(&self) -> Vec<Option<String>> {
        self.names.tasks.clone()
    }

    fn object_name(&self, kind: ObjectKind, object: ObjectId) -> Option<String> {
        self.names.object(kind, object)
    }

    fn pending(&self) -> Vec<(TaskId, Op, Source)> {
        self.names.pending.clone()
    }

    fn details(&self) -> Vec<String> {
        self.names.details.clone()
    }

    fn keep_notes(&mut self, keep: bool) {
        self.notes = keep;
    }
}

/// An execution that could not be run.
fn nothing(job: &Job, identity: caissa_core::Identity) -> Replay {
    let schedule = Schedule {
        identity,
        fingerprint: 0,
        steps: 0,
        end: 0,
        stops: Vec::new(),
        repeat: None,
        cut_off: false,
        promoted: Vec::new(),
    };
    let failure = Failure {
        choices: job.prefix.clone(),
        guide: job.guide.clone(),
        at_cut: job.at_cut,
        ending: Ending::Misused,
        step: 0,
        repeat: None,
    };
    Replay {
        trace: Trace { events: Vec::new(), schedule },
        ending: Ending::Misused,
        bug: None,
        spent: 0,
        failure,
        digest: 0,
    }
}
