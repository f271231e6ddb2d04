//! One execution after another, under control.
//!
//! The front end runs the program and reports: a task has reached a point, is blocked, has been created, has ended, an
//! operation enabled or disabled another task. This module answers which task goes on. It knows tasks and their pending
//! operations, not what locks or channels are: enabledness is the front end's to keep exact.
//!
//! Most points need no decision: the prefix says that the task goes on, nobody else is enabled, or nothing may be spent
//! any more. For these the walk grants *fuel*, and a point is one decrement.

mod clock;
mod decisions;
mod fairness;
mod faults;
mod hb;
mod jobs;
mod pasts;
mod pump;
mod reduce;
mod reserve;
mod seal;

use alloc::vec::Vec;

use crate::class::{Past, TaskPast};
use crate::fair::Fairness;
use crate::finding::{Ending, PanicNote};
use crate::guide::{Guide, GuideSpec, Random};
use crate::job::{AtCut, Outcome};
use crate::op::{ObjectId, Op, OpKind, Pending};
use crate::race::{Clocks, Handed, Race};
use crate::schedule::Identity;
use crate::seen::Seen;
use crate::source::Source;
use crate::task::{TaskId, TaskSet};
use crate::trace::{Event, Note, Recorder};
use crate::walk::Walk;
use clock::Clock;
use hb::Later;
use pump::Pump;
use reserve::Reserve;

/// How the execution goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The task that asked goes on.
    Stay,
    /// This task goes on.
    Switch(TaskId),
    /// The execution is over; [`Execution::ending`] says how.
    End,
}

#[derive(Clone, Debug)]
struct Task {
    past: TaskPast,
    ended: bool,
    /// Nobody but a task that already waits for its end can see whether it has ended.
    unseen: bool,
    /// It is about to end, and so far no task has asked whether another one has.
    unasked: bool,
}

/// What the front end must provide to run jobs: guides by name.
pub trait Guides {
    /// A new guide for this specification, or `None` if no scheduler of that name is registered.
    fn make(&self, spec: &GuideSpec) -> Option<Guide>;
}

/// The state of the execution that runs now, and of the job it belongs to.
pub struct Execution {
    /// Points that will pass without a decision.
    fuel: u32,
    /// Fuel as it was granted; the difference to `fuel` is what has been used and not yet counted as steps.
    granted: u32,
    /// The fuel ends when another task becomes enabled.
    fuel_while_alone: bool,
    /// Steps taken, not counting used fuel.
    step: u32,
    current: TaskId,
    /// The parent of a task that has just been created and runs to its first operation.
    starting: Option<TaskId>,
    enabled: TaskSet,
    /// A task that goes on only if no other one can, whose operation could take effect now: it is not among the enabled ones meanwhile.
    reserve: Option<Reserve>,
    fair: Fairness,
    /// The running task has yielded since the last decision.
    yielded: bool,
    /// And it is known that it has got further since it did before.
    moved_on: bool,
    /// Points that are decided have to be looked at closely: some task has yielded, or every point has to be decided.
    attentive: bool,
    /// Every point has to be decided: a task was sealed, a window is repeated, or somebody watches.
    close: bool,
    /// The enabled tasks at the last decision, once there is somebody to be fair to.
    enabled_before: TaskSet,
    /// Fairness keeps some enabled task from being scheduled now; all others are in `schedulable`.
    filtered: bool,
    schedulable: TaskSet,
    pump: Pump,
    /// Some execution of the job has had a yield.
    any_yield: bool,
    /// The running task must not be left at the point that it announces.
    sealed: bool,
    /// The running task, while it is sealed.
    alone: TaskSet,
    /// Pending operations, by task.
    pending: Vec<Pending>,
    tasks: Vec<Task>,
    unfinished: u32,
    max_steps: u32,
    walk: Walk,
    guide: Guide,
    guide_spec: GuideSpec,
    at_cut: AtCut,
    /// The number of the present sample.
    sample: Option<u64>,
    /// The non-preemptive guide, no trace, no finishing walk.
    plain: bool,
    /// And nothing is left out, nobody has yielded, no point has to be looked at: what the fastest path is for.
    fast: bool,
    /// A sampling guide decides everything.
    sampled: bool,
    /// It need not be asked while a task is alone, and no trace is wanted.
    passes_alone: bool,
    /// A random walk that finishes an execution that was cut.
    finishing: Option<Random>,
    recorder: Option<Recorder>,
    ending: Option<Ending>,
    panics: Vec<PanicNote>,
    clock: Clock,
    /// Faults that the job allows in each execution.
    faults: u32,
    /// Faults that are still possible in this execution.
    faults_left: u32,
    classes: bool,
    /// Traces tell what operations observed.
    keeps_notes: bool,
    /// The causal pasts of objects, by number.
    pasts: Vec<Past>,
    /// Prefixes that have been explored.
    seen: Seen,
    /// Prefixes that will be, because a choice that leads there has been noted.
    planned: Seen,
    /// The present job leaves out executions that are equivalent to others.
    reduces: bool,
    /// See [`Execution::expect_side_effects`].
    side_effects: bool,
    /// The class of the execution, once it has ended.
    class: u64,
    identity: Identity,
    executions_left: u64,
    outcome: Outcome,
    /// The execution is looked at for data races: `clocks` and `handed` are kept.
    clocks_on: bool,
    /// Operations whose edges are not in the clocks yet.
    later: Vec<Later>,
    /// There are no such any more: somebody has asked for the clocks in this execution.
    keeps_up: bool,
    clocks: Clocks,
    /// What objects hand on to those who acquire them, by number.
    handed: Vec<Handed>,
    /// The race that ended the execution.
    race: Option<Race>,
    /// Some accesses of data are scheduling points.
    data_points: bool,
    /// What the front end says of everything that the program has done so far.
    digest: u64,
}

/// A task that has not reached its first operation.
const IDLE: Pending = Pending { op: Op::new(OpKind::Start, ObjectId(0)), source: None };

impl Execution {
    /// An execution that has no job yet. `classes`: whether the class of each execution is computed; `identity`: the
    /// settings that go into schedules.
    pub fn new(classes: bool, identity: Identity) -> Execution {
        Execution {
            fuel: 0,
            granted: 0,
            fuel_while_alone: false,
            step: 0,
            current: TaskId::MAIN,
            starting: None,
            enabled: TaskSet::new(),
            reserve: None,
            fair: Fairness::new(identity.fair_k),
            yielded: false,
            moved_on: false,
            attentive: false,
            close: false,
            enabled_before: TaskSet::new(),
            filtered: false,
            schedulable: TaskSet::new(),
            pump: Pump::default(),
            any_yield: false,
            sealed: false,
            alone: TaskSet::new(),
            pending: Vec::new(),
            tasks: Vec::new(),
            unfinished: 0,
            max_steps: 0,
            walk: Walk::new(),
            guide: Guide::NonPreemptive,
            guide_spec: GuideSpec::NonPreemptive,
            at_cut: AtCut::Stop,
            sample: None,
            plain: false,
            fast: false,
            sampled: false,
            passes_alone: false,
            finishing: None,
            recorder: None,
            ending: None,
            panics: Vec::new(),
            clock: Clock::default(),
            faults: 0,
            faults_left: 0,
            classes,
            keeps_notes: true,
            pasts: Vec::new(),
            seen: Seen::default(),
            planned: Seen::default(),
            reduces: false,
            side_effects: false,
            class: 0,
            identity,
            executions_left: 0,
            outcome: Outcome::default(),
            clocks_on: false,
            later: Vec::new(),
            keeps_up: false,
            clocks: Clocks::default(),
            handed: Vec::new(),
            race: None,
            data_points: false,
            digest: 0,
        }
    }

    fn add_task(&mut self, past: TaskPast) -> TaskId {
        let id = TaskId(self.tasks.len() as u32);
        self.tasks.push(Task { past, ended: false, unseen: false, unasked: false });
        self.pending.push(IDLE);
        self.unfinished += 1;
        id
    }

    // ---- what the front end reports while the program runs ----

    /// A point at which nothing has to be decided. If false, [`Execution::point`] must be asked.
    #[inline(always)]
    pub fn coast(&mut self) -> bool {
        if self.fuel != 0 {
            self.fuel -= 1;
            return true;
        }
        false
    }

    /// The running task announces an operation that could take effect now.
    #[inline]
    pub fn point(&mut self, op: Op, source: Source) -> Next {
        self.announce(op, source, true, true)
    }

    /// The running task announces an operation that cannot take effect now.
    pub fn block(&mut self, op: Op, source: Source) -> Next {
        self.announce(op, source, false, false)
    }

    /// `able`: the operation could take effect now. `stays`: and the task has not given its turn away, so that leaving it
    /// would be a preemption.
    #[inline]
    fn announce(&mut self, op: Op, source: Source, able: bool, stays: bool) -> Next {
        self.settle();
        let current = self.current;
        self.pending[current.index()] = Pending { op, source: Some(source) };
        if let Some(parent) = self.starting.take() {
            if able {
                self.enabled.insert(current);
            }
            self.current = parent;
            // A task that has become enabled has to be looked at by fairness at the next point.
            if !self.attentive {
                self.refuel();
            }
            return Next::Switch(parent);
        }
        // A running task is enabled.
        if !able {
            self.enabled.remove(current);
        }
        if !self.fast {
            self.step_back();
        }
        self.decide(stays)
    }

    /// The running task creates a task, which now runs to its first operation.
    pub fn spawn(&mut self) -> TaskId {
        self.settle();
        let parent = &mut self.tasks[self.current.index()].past;
        let past = if self.classes { parent.spawn() } else { *parent };
        let child = self.add_task(past);
        if self.clocks_on {
            self.spawn_clock(self.current);
        }
        self.guide.spawned(child, self.current);
        self.starting = Some(self.current);
        self.current = child;
        child
    }

    /// The running task has taken its last step.
    pub fn end_task(&mut self) -> Next {
        self.settle();
        let current = self.current;
        self.tasks[current.index()].ended = true;
        self.enabled.remove(current);
        self.unfinished -= 1;
        if self.unfinished == 0 {
            return self.end(Ending::Complete);
        }
        self.decide(false)
    }

    /// From here on tasks may do something between two points that others can see: drop a handle whose task has left a result,
    /// clone what is counted. Spawns and joins, which carry it with them, do not commute with everything any more.
    pub fn expect_side_effects(&mut self) {
        self.side_effects = true;
    }

    /// Whether [`Execution::expect_side_effects`] was said.
    #[inline]
    pub fn has_side_effects(&self) -> bool {
        self.side_effects
    }

    /// From here on nobody can ask whether the running task has ended, except by a join that already waits for it.
    #[inline]
    pub fn end_unseen(&mut self) {
        self.tasks[self.current.index()].unseen = true;
    }

    /// As [`Execution::end_unseen`], but only as long as nobody asks; that is for the front end to find out.
    #[inline]
    pub fn end_unasked(&mut self) {
        self.tasks[self.current.index()].unasked = true;
    }

    /// A task's pending operation could now take effect.
    #[inline]
    pub fn enable(&mut self, task: TaskId) {
        if !self.fast && self.hold_back(task, true) {
            return;
        }
        if self.enabled.insert(task) && (self.fuel_while_alone || self.attentive) {
            self.settle();
        }
    }

    /// Whether a task's pending operation could take effect now.
    pub fn is_enabled(&self, task: TaskId) -> bool {
        self.enabled.contains(task)
    }

    /// A task's pending operation cannot take effect any more.
    #[inline]
    pub fn disable(&mut self, task: TaskId) {
        if !self.fast && self.hold_back(task, false) {
            return;
        }
        if self.enabled.remove(task) && self.attentive {
            self.settle();
        }
    }

    /// The next point must be asked about, whatever was granted before: the front end has something to do there first.
    #[inline]
    pub fn stop_coasting(&mut self) {
        self.settle();
    }

    /// From here on every point of this execution must be asked about. Executions that do not call this pay nothing for it: the
    /// fast paths are left.
    pub fn watch(&mut self) {
        self.settle();
        self.pay_attention();
        self.close = true;
        self.leave_nothing_out();
    }

    /// From here on decisions are looked at.
    fn pay_attention(&mut self) {
        self.attentive = true;
        self.fast = false;
    }

    /// From here on no choice is left out because others are equivalent to it.
    fn leave_nothing_out(&mut self) {
        self.walk.skip.clear();
        self.walk.only_joined = false;
    }

    /// A blocked task's pending operation has become another one (a notified waiter now wants its mutex).
    pub fn replace_pending(&mut self, task: TaskId, op: Op) {
        self.pending[task.index()].op = op;
    }

    /// A data choice among `count` values by the running task. `None` if the execution is over.
    pub fn choose(&mut self, count: u32, source: Source) -> Option<u32> {
        let op = Op::new(OpKind::Choose, ObjectId(self.current.0));
        let value = self.decide_value((op, source), count, 0xc4_005e, |random| random.below(count))?;
        self.record_value(op, Note::Chose { value, count }, value, source);
        self.step += 1;
        if self.classes {
            self.tasks[self.current.index()].past.absorb(value as u64);
        }
        self.refuel_within_step();
        Some(value)
    }

    /// The execution is over for this reason, unless it was over before.
    #[inline(never)]
    pub fn end(&mut self, ending: Ending) -> Next {
        self.settle();
        if self.ending.is_none() {
            self.ending = Some(ending);
            // What is left of the execution is unwound after this and must not count.
            if self.classes {
                self.class = self.class_so_far().0;
            }
        }
        Next::End
    }

    /// A task panicked. The note stays until a join consumes it.
    pub fn panicked(&mut self, note: PanicNote) {
        self.panics.push(note);
    }

    /// The last panic of `task` is not its end after all.
    pub fn retract_panic(&mut self, task: TaskId) {
        if let Some(index) = self.panics.iter().rposition(|note| note.task == task) {
            self.panics.remove(index);
        }
    }

    /// A join has passed on the panic of `task`.
    pub fn consume_panic(&mut self, task: TaskId) {
        for note in &mut self.panics {
            note.consumed |= note.task == task;
        }
    }

    /// Something was observed by the operation that was announced last; shown in traces.
    #[inline]
    pub fn note(&mut self, note: impl FnOnce() -> Note) {
        if self.is_in_reserve() {
            return;
        }
        if let (Some(recorder), None, true) = (&mut self.recorder, &self.ending, self.keeps_notes) {
            recorder.note(note());
        }
    }

    /// Whether traces tell what operations observed; they do unless told otherwise. The schedule in them is the same.
    pub fn keep_notes(&mut self, keep: bool) {
        self.keeps_notes = keep;
    }

    /// Whether the execution is traced, and its trace tells what operations observed.
    #[inline]
    pub fn is_told(&self) -> bool {
        self.recorder.is_some() && self.keeps_notes
    }

    /// As [`Execution::note`], for the operation that took a given step.
    pub fn note_at(&mut self, step: u32, note: impl FnOnce() -> Note) {
        if let (Some(recorder), None) = (&mut self.recorder, &self.ending) {
            recorder.note_at(step, note());
        }
    }

    /// An operation that is no point; shown in traces.
    #[inline]
    pub fn aside(&mut self, op: Op, source: Source) {
        if self.recorder.is_some() && !self.is_in_reserve() {
            self.record_aside(op, source);
        }
    }

    #[cold]
    fn record_aside(&mut self, op: Op, source: Source) {
        let event = Event { aside: true, ..Event::new(self.steps(), self.current, op, source) };
        if let (Some(recorder), None) = (&mut self.recorder, &self.ending) {
            recorder.push(event);
        }
    }

    /// A number that stands for everything the program has done so far, as far as the front end can see it: choices are checked
    /// against it when they are made again. To be said before each point that is asked about; 0 says nothing.
    #[inline]
    pub fn set_digest(&mut self, digest: u64) {
        self.digest = digest;
    }

    // ---- what the front end may ask ----

    /// The running task.
    #[inline]
    pub fn current(&self) -> TaskId {
        self.current
    }

    /// Whether the running task is a new one on its way to its first operation.
    #[inline]
    pub fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// Steps taken so far.
    #[inline]
    pub fn steps(&self) -> u32 {
        self.step + (self.granted - self.fuel)
    }

    /// How the execution ended, once it has.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Panics so far.
    pub fn panics(&self) -> &[PanicNote] {
        &self.panics
    }

    /// Whether classes are counted.
    #[inline]
    pub fn counts_classes(&self) -> bool {
        self.classes
    }

    /// Whether executions that are equivalent to others are left out.
    #[inline]
    pub fn reduces(&self) -> bool {
        self.reduces
    }

    /// Whether a trace is recorded.
    #[inline]
    pub fn is_traced(&self) -> bool {
        self.recorder.is_some()
    }

    /// Number of tasks created so far.
    pub fn task_count(&self) -> u32 {
        self.tasks.len() as u32
    }

    /// Whether a task has ended.
    #[inline]
    pub fn has_ended(&self, task: TaskId) -> bool {
        self.tasks[task.index()].ended
    }

    /// The operation that a task announced last, and where.
    pub fn pending(&self, task: TaskId) -> (Op, Option<Source>) {
        let Pending { op, source } = self.pending[task.index()];
        (op, source)
    }

    /// What each task that has not ended is about to do, and where.
    pub fn all_pending(&self) -> Vec<(TaskId, Op, Source)> {
        let unfinished = (0..self.task_count()).map(TaskId).filter(|&task| !self.has_ended(task));
        let pending = unfinished.filter_map(|task| {
            let (op, source) = self.pending(task);
            Some((task, op, source?))
        });
        pending.collect()
    }

    /// The operation that a task announced last.
    #[inline]
    pub fn pending_op(&self, task: TaskId) -> Op {
        self.pending[task.index()].op
    }

    /// The running task changes something that traces do not show: what a lock guards, a message.
    #[inline]
    pub fn changes_hidden(&mut self) {
        if self.recorder.is_some() {
            self.record_hidden();
        }
    }

    #[cold]
    fn record_hidden(&mut self) {
        let task = self.current;
        if let (Some(recorder), None) = (&mut self.recorder, &self.ending) {
            recorder.mark_hidden(task);
        }
    }

    /// The data cells that a trace or a race names: those that somebody may ask the names of.
    pub fn met_cells(&self) -> Vec<ObjectId> {
        let events = self.recorder.iter().flat_map(|recorder| recorder.events());
        let cells = events.filter(|event| event.op.kind.object_kind() == crate::op::ObjectKind::Cell);
        let mut cells: Vec<ObjectId> = cells.map(|event| event.op.object).collect();
        cells.extend(self.race.iter().map(|race| race.object));
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// What was recorded so far, if a trace is wanted.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Whether a window of steps is repeated, whatever that costs.
    pub(crate) fn is_pumped(&self) -> bool {
        self.pump.repeat.is_some()
    }

    /// The choices of the execution so far: what a watchdog can print.
    pub fn choices(&self) -> &[crate::job::Choice] {
        self.walk.choices()
    }
}
