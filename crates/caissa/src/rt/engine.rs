//! The engine: runs jobs, execution by execution.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use caissa_check::Terms;
use caissa_core::class::Past;
use caissa_core::{
    Bug, Ending, Execution, Job, Next, Note, ObjectKind, Op, Outcome, PanicNote, Race, TaskId,
};
use caissa_search::{Replay, Subject, confirm_endless, look_closer};

use super::callers;
use super::data::CellUse;
use super::misuse::Misuse;
use super::monitor::Beacon;
use super::object::{Object, OutsideUse, Stamp, abandon_guard, set_dead, set_live};
use super::once::Kept;
use super::panics::{SeenPanic, install_hook};
use super::reliance::Reliance;
use super::schedulers::Schedulers;
use super::sealing::Seals;
use super::seat::{Entry, Run, Seat};
use super::states::States;
use super::switch::{StackPointer, Turn, switch};
use super::task::TaskInfo;
use super::waker::Wakings;
use super::{Rt, Source};

/// How many stacks a check may abandon. Each keeps its memory.
const MAX_ABANDONED: u32 = 1_000;

/// The closure under test.
pub(crate) type Body = Arc<dyn Fn() + Send + Sync>;

struct Main(Body);

impl Run for Main {
    fn run(&self) {
        (self.0)();
    }

    fn drops_result(&self, _owners: usize) -> bool {
        false
    }

    fn fail(&self, _payload: Box<dyn Any + Send>) {}
}

/// What an engine needs to know besides its jobs.
#[derive(Clone)]
pub(crate) struct EngineSettings {
    pub(crate) stack_size: usize,
    pub(crate) reference_points: bool,
    pub(crate) panics_any: bool,
    pub(crate) allow_detached: bool,
    pub(crate) schedulers: Schedulers,
    /// Stacks that the check has had to abandon, on all its engines.
    pub(crate) abandoned_stacks: Arc<AtomicU32>,
    pub(crate) reliance: Arc<Reliance>,
    /// Where the closure under test stands.
    pub(crate) source: Source,
    pub(crate) seals: Arc<Seals>,
    /// Data races are looked for from the first execution on, if they are, whether or not there is data.
    pub(crate) force_clocks: bool,
}

/// What a scope panics with when one of its tasks has.
pub(crate) const SCOPE_PANIC: &str = "a scoped thread panicked";

/// How the error of an async task that panicked is shown when it is unwrapped.
pub(crate) const JOIN_ERROR: &str = "JoinError::Panic";

/// Runs the tasks of one check on one OS thread.
pub(crate) struct Engine {
    pub(crate) execution: Execution,
    /// For executions that are run beside those of the present job.
    pub(super) aside: Option<Box<Execution>>,
    pub(crate) stamp: Stamp,
    pub(crate) objects: Vec<Object>,
    pub(crate) object_count: usize,
    /// Values that are made once in an execution and have no place of their own.
    pub(crate) kept: Vec<Kept>,
    /// What has read and set the clock.
    pub(crate) clock_past: Past,
    pub(crate) tasks: Vec<TaskInfo>,
    pub(crate) seats: Vec<Seat>,
    pub(crate) free_seats: Vec<usize>,
    /// The task that runs now.
    pub(crate) running: TaskId,
    /// The stack of the OS thread, while a task runs.
    root: StackPointer,
    /// A task runs: what panics then is the program's.
    pub(crate) in_task: bool,
    /// The execution is over and what is left of it is being unwound.
    pub(crate) aborting: bool,
    /// Aborts thrown at the running task.
    pub(crate) throws: u32,
    /// A task was left in the middle of a panic, and whatever it had set up in thread-locals stays: this OS thread must not be
    /// used on.
    pub(crate) spoiled: bool,
    pub(crate) misuse: Option<Misuse>,
    /// What threads outside did with objects of this check.
    pub(crate) outside: OutsideUse,
    /// Panics that the hook saw and no task has ended with yet, oldest first.
    pub(crate) seen_panics: Vec<SeenPanic>,
    /// Operations of destructors while their tasks unwound.
    pub(crate) quiet_points: u32,
    /// The async tasks.
    pub(crate) wakings: Wakings,
    /// How the program shows its state.
    pub(crate) states: States,
    /// There is something to do before points are decided: wake-ups that were put off, states to be seen, seals.
    pub(crate) heeds: bool,
    /// Races that were none if their cells go with the value that is being destroyed.
    pub(crate) excused: Vec<Race>,
    /// What tasks are doing with cells.
    pub(super) cell_uses: Vec<CellUse>,
    /// Points may be sealed.
    pub(crate) sealing: bool,
    /// Stacks by the functions on them.
    pub(crate) callers: callers::Cache,
    /// What is wrong with the execution that has just run.
    pub(super) bug: Option<Bug>,
    pub(crate) settings: EngineSettings,
    pub(crate) terms: Terms,
    /// Runs the closure under test.
    main: Entry,
    beacon: Arc<Beacon>,
}

impl Engine {
    pub(crate) fn new(
        body: Body,
        settings: EngineSettings,
        terms: Terms,
        beacon: Arc<Beacon>,
    ) -> Box<Engine> {
        install_hook();
        let (stamp, outside) = (Stamp::new_block(), OutsideUse::default());
        set_live(stamp, &outside);
        let mut engine = Box::new(Engine {
            execution: terms.execution(true),
            aside: None,
            stamp,
            objects: Vec::new(),
            object_count: 0,
            kept: Vec::new(),
            clock_past: Past::default(),
            tasks: Vec::new(),
            seats: Vec::new(),
            free_seats: Vec::new(),
            running: TaskId::MAIN,
            root: StackPointer::NONE,
            in_task: false,
            aborting: false,
            throws: 0,
            spoiled: false,
            misuse: None,
            outside,
            seen_panics: Vec::new(),
            quiet_points: 0,
            wakings: Wakings::default(),
            states: States::default(),
            heeds: false,
            excused: Vec::new(),
            cell_uses: Vec::new(),
            sealing: false,
            callers: callers::Cache::default(),
            bug: None,
            settings,
            terms,
            main: Arc::new(Main(body)),
            beacon,
        });
        let beacon = Arc::clone(&engine.beacon);
        beacon.attach(&mut *engine);
        engine
    }

    /// Names the next execution.
    fn next_stamp(&mut self) {
        self.stamp = self.stamp.next().unwrap_or_else(|| {
            set_dead(self.stamp);
            let stamp = Stamp::new_block();
            set_live(stamp, &self.outside);
            stamp
        });
    }

    /// A table entry for a new task.
    pub(crate) fn new_task(&mut self, task: TaskId, source: Source) -> &mut TaskInfo {
        match self.tasks.get_mut(task.index()) {
            Some(info) => info.reset(source),
            None => self.tasks.push(TaskInfo::new(source)),
        }
        &mut self.tasks[task.index()]
    }

    /// A seat that no task uses.
    pub(crate) fn take_seat(&mut self) -> Result<usize, Misuse> {
        if let Some(seat) = self.free_seats.pop() {
            return Ok(seat);
        }
        let size = self.settings.stack_size;
        let seat = Seat::new(size).map_err(|error| Misuse::NoStack {
            size,
            tasks: self.seats.len(),
            error: error.to_string(),
        })?;
        self.seats.push(seat);
        Ok(self.seats.len() - 1)
    }

    /// The panic that the running task ends with. The hook has seen it, unless it was resumed.
    pub(crate) fn panic_note(&mut self, message: Option<String>) -> PanicNote {
        let me = self.running;
        let fits =
            |seen: &SeenPanic| seen.task == me && message.as_ref().is_none_or(|text| *text == seen.message);
        let seen = self.seen_panics.iter().rposition(fits).map(|index| self.seen_panics.remove(index));
        self.seen_panics.retain(|other| other.task != me);
        // A panic that the hook did not see was resumed; one about an `Any` is an unwrapped join.
        let text = message.as_deref().or(seen.as_ref().map(|seen| seen.message.as_str())).unwrap_or_default();
        let passes_on = seen.is_none()
            || text.ends_with("Any { .. }")
            || text == SCOPE_PANIC
            || text.contains(JOIN_ERROR);
        PanicNote {
            kind: "panic",
            task: me,
            message: if text.is_empty() { "a panic that was resumed".to_owned() } else { text.to_owned() },
            source: seen.as_ref().map_or_else(|| "an unknown place".to_owned(), |seen| seen.source.clone()),
            step: self.execution.steps(),
            consumed: false,
            passed_on: if passes_on { self.tasks[me.index()].got_panic_of } else { None },
        }
    }

    /// The running task has announced an operation, and this is how the execution goes on.
    #[inline]
    pub(crate) fn turn(&mut self, next: Next, op: Op) -> Turn {
        match next {
            Next::Stay => Turn::STAY,
            Next::Switch(task) => {
                let me = self.running;
                if op.kind.can_block() {
                    self.objects[op.object.0 as usize].waiting.insert(me);
                }
                let to = self.aim(task);
                Turn { to, save: &mut self.tasks[me.index()].stack }
            }
            Next::End => self.turn_to_root(),
        }
    }

    /// `task` goes on, from here on: its stack.
    #[inline]
    pub(crate) fn aim(&mut self, task: TaskId) -> StackPointer {
        // A notified waiter goes on at its mutex, not at the condvar where it left.
        let op = self.execution.pending_op(task);
        if op.kind.can_block() {
            self.objects[op.object.0 as usize].waiting.remove(task);
        }
        self.running = task;
        self.tasks[task.index()].stack
    }

    /// The running task makes way for what is to be done between executions.
    pub(crate) fn turn_to_root(&mut self) -> Turn {
        Turn { to: self.root, save: &mut self.tasks[self.running.index()].stack }
    }

    /// Whether a task of a scope that `parent` waits for still has a stack that uses what `parent` owns. An abandoned one has
    /// for ever: whatever it waited for, such as a thread of its own, may go on.
    pub(crate) fn has_scoped_task_left(&self, parent: TaskId) -> bool {
        let count = self.execution.task_count() as usize;
        self.tasks[..count].iter().any(|info| info.scope_owner == Some(parent) && info.begun)
    }

    /// A task's stack will not be used any more and cannot be unwound.
    pub(crate) fn abandon(&mut self, task: TaskId, panicking: bool) {
        let info = &mut self.tasks[task.index()];
        info.abandoned = true;
        // Their destructors belong to the task, which will not run again.
        std::mem::forget(info.locals.take());
        self.settings.abandoned_stacks.fetch_add(1, Ordering::Relaxed);
        let fresh = Seat::new(self.settings.stack_size).expect("a stack like the ones before");
        std::mem::replace(&mut self.seats[info.seat], fresh).leak();
        self.free_seats.push(info.seat);
        self.spoiled |= panicking;
        for (index, object) in self.objects[..self.object_count].iter().enumerate() {
            let readers = &object.queue;
            let reads = object.kind == ObjectKind::RwLock
                && !readers.is_empty()
                && readers.iter().all(|&t| t == task);
            if object.holder == Some(task) || reads {
                abandon_guard(self.stamp, index);
            }
        }
        if panicking && !self.aborting {
            // The panic that this task unwinds with is what went wrong.
            let note = self.panic_note(None);
            self.execution.panicked(note);
            self.execution.end(Ending::Panicked);
        }
    }

    /// Whether a fault at this address is an overflow of the running task's stack.
    pub(crate) fn overflowed(&self, address: usize) -> bool {
        let info = self.tasks.get(self.running.index());
        info.and_then(|info| self.seats.get(info.seat)).is_some_and(|seat| seat.guards(address))
    }
}

/// A task has come to an operation that could take effect now (`able`) or not: who goes on?
pub(super) extern "C-unwind" fn decide(engine: &mut Engine, op: Op, source: Source, able: bool) -> Turn {
    if engine.aborting {
        Rt::of(engine).throw();
    }
    let (mut engine, mut able) = (engine, able);
    if engine.heeds {
        let rt = Rt::of(engine);
        let now = heed(rt, op, able);
        engine = rt.engine();
        let Some(now) = now else { return engine.turn_to_root() };
        able = now;
    }
    let execution = &mut engine.execution;
    let next = if able { execution.point(op, source.into()) } else { execution.block(op, source.into()) };
    engine.turn(next, op)
}

/// What there is to do before a point is decided: wake-ups that the task has caused, a look at the state, seals. Says whether the
/// operation could take effect now; `None` if the execution is over.
#[cold]
#[inline(never)]
fn heed(rt: Rt, op: Op, mut able: bool) -> Option<bool> {
    while rt.engine().wakings.has_deferred() {
        able = rt.flush_wakes_before(op, able);
    }
    let engine = rt.engine();
    engine.heeds = engine.states.are_watched() || engine.sealing || !engine.excused.is_empty();
    if !rt.observe() || !rt.has_no_false_excuse() {
        return None;
    }
    let engine = rt.engine();
    if engine.sealing {
        let sealed = able && engine.is_point_sealed();
        engine.execution.seal(sealed);
    }
    Some(able)
}

/// Running tasks use the engine through [`super::current`], so nothing here holds a reference to it while they run.
impl Rt {
    /// Runs one execution of the present job.
    pub(super) fn run_execution(self) {
        let engine = self.engine();
        engine.next_stamp();
        engine.object_count = 0;
        engine.clock_past = Past::default();
        engine.seen_panics.clear();
        engine.quiet_points = 0;
        engine.wakings.clear();
        engine.sealing = engine.settings.seals.are_there_at_the_start();
        engine.heeds = engine.sealing;
        engine.excused.clear();
        engine.cell_uses.clear();
        engine.bug = None;
        engine.beacon.beat();
        engine.execution.start();
        let source = engine.settings.source;
        let seat = match engine.take_seat() {
            Ok(seat) => seat,
            Err(misuse) => {
                engine.misuse.get_or_insert(misuse);
                engine.execution.end(Ending::Misused);
                return;
            }
        };
        let stack = engine.seats[seat].begin(engine.main.clone());
        let main = engine.new_task(TaskId::MAIN, source);
        main.seat = seat;
        main.stack = stack;
        self.resume(TaskId::MAIN);
        self.observe_end();
        let engine = self.engine();
        if let Some(misuse) = engine.settings.schedulers.failed.get() {
            engine.misuse.get_or_insert(misuse.clone());
        }
        if let Some(race) = engine.excused.first() {
            engine.execution.race_at_end(*race);
        }
        let complete = engine.execution.ending() == Some(&Ending::Complete);
        if !complete || !engine.execution.panics().is_empty() {
            // Before unwinding: it still shows who holds what.
            engine.bug = engine.find_bug();
        }
        if !complete {
            self.unwind();
        }
        self.destroy_kept();
        self.drop_hooks();
        let engine = self.engine();
        let count = engine.settings.abandoned_stacks.load(Ordering::Relaxed);
        if count > MAX_ABANDONED {
            engine.misuse.get_or_insert(Misuse::StacksAbandoned { count });
        }
    }

    /// Lets tasks run, `task` first, until one turns to the root.
    fn resume(self, task: TaskId) {
        let engine = self.engine();
        engine.running = task;
        let stack = engine.tasks[task.index()].stack;
        engine.in_task = true;
        // SAFETY: the task waits on its stack, which its seat keeps, or begins there.
        unsafe { switch(&mut engine.root, stack) };
        self.engine().in_task = false;
    }

    /// Unwinds every task that has not ended, the youngest first. One that has to wait is left and taken up again when others
    /// have been unwound: a destructor for another task's lock, a scope for its tasks. If none of those left gets any
    /// further the youngest is abandoned.
    fn unwind(self) {
        self.engine().aborting = true;
        loop {
            let mut progress = false;
            for index in (0..self.engine().execution.task_count()).rev() {
                let engine = self.engine();
                let task = TaskId(index);
                if engine.tasks[task.index()].is_on_its_seat() {
                    engine.throws = 0;
                    let info = &mut engine.tasks[task.index()];
                    if !info.quiet {
                        // SAFETY: the task has left its stack by a switch.
                        info.stack = unsafe { info.stack.throwing() };
                    }
                    self.resume(task);
                    let info = &mut self.engine().tasks[task.index()];
                    progress |= !info.is_on_its_seat() || !std::mem::take(&mut info.stalled);
                }
            }
            let engine = self.engine();
            let left = (0..engine.execution.task_count()).map(TaskId);
            let mut left = left.filter(|task| engine.tasks[task.index()].is_on_its_seat());
            match left.next_back() {
                None => break,
                Some(youngest) if !progress => engine.abandon(youngest, true),
                Some(_) => {}
            }
        }
        self.engine().aborting = false;
    }
}

impl Subject for Engine {
    fn run(&mut self, job: &Job) -> Outcome {
        let schedulers = self.settings.schedulers.clone();
        if !self.execution.begin(job, &schedulers) {
            return self.execution.outcome(job);
        }
        if job.reduce {
            self.settings.reliance.rely_on_points();
        }
        let Engine { settings, terms, execution, .. } = self;
        execution.set_clocks(terms.races && (settings.force_clocks || !settings.reliance.rely_on_no_cells()));
        let beacon = Arc::clone(&self.beacon);
        let _busy = beacon.busy();
        let entered = Rt::enter(self);
        let mut rt = entered.0;
        loop {
            rt.run_execution();
            rt.engine().execution.finish();
            rt.engine().terms.pulse.count();
            confirm_endless(&mut rt, job);
            if let Some(failure) = rt.engine().judge().or_else(|| look_closer(&mut rt, job)) {
                let engine = rt.engine();
                engine.execution.report_failure(failure);
                break;
            }
            let engine = rt.engine();
            if !engine.can_go_on() || engine.terms.pulse.is_asked_to_stop() || !engine.execution.advance() {
                break;
            }
        }
        drop(entered);
        let mut outcome = self.execution.outcome(job);
        outcome.states = self.states.take_seen();
        outcome
    }

    fn can_go_on(&self) -> bool {
        let lost = self.spoiled || self.misuse.is_some() || self.outside.get().is_some();
        !lost && !self.settings.reliance.is_broken()
    }

    fn replay(&mut self, job: &Job) -> Replay {
        let schedulers = self.settings.schedulers.clone();
        self.execution.begin(job, &schedulers);
        self.execution.set_clocks(self.terms.races);
        let beacon = Arc::clone(&self.beacon);
        let _busy = beacon.busy();
        let entered = Rt::enter(self);
        let mut rt = entered.0;
        rt.run_execution();
        rt.engine().execution.finish();
        confirm_endless(&mut rt, job);
        drop(entered);
        self.states.take_seen();
        Replay {
            trace: self.execution.take_trace().expect("a replay is traced"),
            ending: self.execution.ending().cloned().unwrap_or(Ending::Complete),
            bug: self.bug.clone(),
            spent: self.execution.spent(),
            failure: self.execution.failure(),
            digest: 0,
        }
    }

    fn task_names(&self) -> Vec<Option<String>> {
        let count = self.execution.task_count() as usize;
        self.tasks.iter().take(count).map(|info| info.name.as_deref().map(str::to_owned)).collect()
    }

    fn pending(&self) -> Vec<(TaskId, Op, caissa_core::Source)> {
        self.execution.all_pending()
    }

    fn keep_notes(&mut self, keep: bool) {
        self.execution.keep_notes(keep);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.beacon.detach();
        set_dead(self.stamp);
    }
}

/// A value for a trace.
pub(crate) fn saw(value: impl std::fmt::Debug) -> Note {
    Note::Saw(format!("{value:?}"))
}

/// A change of value for a trace.
pub(crate) fn changed(from: impl std::fmt::Debug, to: impl std::fmt::Debug) -> Note {
    Note::Changed(format!("{from:?}"), format!("{to:?}"))
}

impl Rt {
    /// Whether points that soundness does not need are wanted too.
    pub(crate) fn reference_points(self) -> bool {
        self.engine().settings.reference_points
    }
}
