//! Traces: a schedule with everything that was observed.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::class::mix2;
use crate::guide::Profile;
use crate::liveness::Repeat;
use crate::op::{ObjectId, Op, OpKind};
use crate::schedule::{Identity, Schedule, Stop};
use crate::source::Source;
use crate::task::{TaskId, TaskSet};

/// What an operation observed or changed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Note {
    /// Nothing that is known.
    #[default]
    Nothing,
    /// Read this value.
    Saw(String),
    /// Wrote where this value was.
    Replaced(String),
    /// Changed the first value into the second.
    Changed(String, String),
    /// Compared, found this value, which was not the expected one.
    Refused {
        /// The value found.
        found: String,
        /// The value that was expected.
        expected: String,
    },
    /// Tried, and succeeded or not.
    Tried(bool),
    /// Chose this value among so many.
    Chose {
        /// The value.
        value: u32,
        /// Among how many.
        count: u32,
    },
    /// Woke these tasks.
    Woke(Vec<TaskId>),
    /// The channel was disconnected.
    Disconnected,
    /// Made this task.
    Spawned(TaskId),
    /// Released this mutex.
    Releases(ObjectId),
    /// Did this, in the words of the program's source.
    Did(String),
}

impl Note {
    /// A number that differs for notes that differ.
    pub(crate) fn number(&self) -> u64 {
        struct Digest(u64);
        impl fmt::Write for Digest {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0 = text.bytes().fold(self.0, |hash, byte| mix2(hash, byte as u64));
                Ok(())
            }
        }
        let mut digest = Digest(0);
        if *self != Note::Nothing {
            let _ = write!(digest, "{self:?}");
        }
        digest.0
    }
}

/// One operation of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// Its step; an aside has the step of what comes next.
    pub step: u32,
    /// Who.
    pub task: TaskId,
    /// What.
    pub op: Op,
    /// Where.
    pub source: Source,
    /// What came of it.
    pub note: Note,
    /// The task that could have gone on and was left for this one.
    pub preempts: Option<TaskId>,
    /// No scheduling point lies before it.
    pub aside: bool,
    /// By it the task said that it makes no progress by itself.
    pub yields: bool,
    /// It may have changed something that a trace does not show: what a lock guards, messages, data cells.
    pub hides: bool,
}

impl Event {
    /// An event of which nothing more is known.
    pub fn new(step: u32, task: TaskId, op: Op, source: Source) -> Event {
        Event {
            step,
            task,
            op,
            source,
            note: Note::Nothing,
            preempts: None,
            aside: false,
            yields: false,
            hides: false,
        }
    }
}

/// A schedule with everything observed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trace {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// The schedule in its portable form.
    pub schedule: Schedule,
}

impl Trace {
    /// Faults that happened.
    pub fn faults(&self) -> u32 {
        self.events.iter().filter(|event| event.is_fault()).count() as u32
    }

    /// Preemptions: changes from a task that could have gone on.
    pub fn preemptions(&self) -> u32 {
        self.events.iter().filter(|event| event.preempts.is_some()).count() as u32
    }
}

impl Event {
    /// Whether it is a fault that happened.
    pub fn is_fault(&self) -> bool {
        self.op.kind.is_fault() && self.note == Note::Tried(true)
    }
}

/// Collects a trace while an execution runs.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    events: Vec<Event>,
    stops: Vec<Stop>,
    /// Operations seen lately, with their numbers, which take a while to compute.
    numbers: [(Op, u64); 16],
    /// Hash of the operations so far: what a replay is compared with.
    hash: u64,
    fingerprint: u32,
    steps: u32,
    /// Operations since the last step that were none themselves.
    asides: u32,
    /// The enabled tasks at each step that was looked at closely, by ascending step.
    enabled: Vec<(u32, TaskSet)>,
}

/// The first so many operations make the fingerprint by which a schedule knows its program.
const FINGERPRINT_STEPS: u32 = 8;

/// Between two steps so many operations that are no steps are kept.
const MAX_ASIDES: u32 = 1_000;

impl Recorder {
    /// A recorder with room for as many events as the last execution had.
    pub(crate) fn new(steps: u32) -> Recorder {
        let none = Op::new(OpKind::End, ObjectId(u32::MAX));
        Recorder {
            events: Vec::with_capacity(steps.clamp(64, 1 << 16) as usize),
            stops: Vec::new(),
            numbers: [(none, none.stable_fingerprint()); 16],
            hash: 0,
            fingerprint: 0,
            steps: 0,
            asides: 0,
            enabled: Vec::new(),
        }
    }

    fn number(&mut self, op: Op) -> u64 {
        let place = (op.kind as usize ^ op.object.0 as usize) % self.numbers.len();
        let (known, number) = &mut self.numbers[place];
        if *known != op {
            (*known, *number) = (op, op.stable_fingerprint());
        }
        *number
    }

    pub(crate) fn push(&mut self, event: Event) {
        if event.aside {
            self.asides += 1;
            if self.asides > MAX_ASIDES {
                return;
            }
        } else {
            self.asides = 0;
            self.steps = event.step + 1;
            self.hash = mix2(self.hash ^ (event.task.0 as u64) << 48, self.number(event.op));
            if event.step < FINGERPRINT_STEPS {
                self.fingerprint = (self.hash >> 8) as u32;
            }
        }
        self.events.push(event);
    }

    /// The operation of the last step was a yield.
    pub(crate) fn mark_yield(&mut self) {
        if let Some(event) = self.events.iter_mut().rev().find(|event| !event.aside) {
            event.yields = true;
        }
    }

    /// A task has changed something that is not shown, since its last operation.
    pub(crate) fn mark_hidden(&mut self, task: TaskId) {
        if let Some(event) = self.events.iter_mut().rev().find(|event| event.task == task) {
            event.hides = true;
        }
    }

    /// These tasks were enabled at a step.
    pub(crate) fn note_enabled(&mut self, step: u32, enabled: &TaskSet) {
        self.enabled.push((step, enabled.clone()));
    }

    /// Tasks that were enabled at some step in a range.
    pub(crate) fn enabled_in(&self, steps: core::ops::Range<u32>) -> TaskSet {
        let first = self.enabled.partition_point(|(step, _)| *step < steps.start);
        let mut all = TaskSet::new();
        for (_, enabled) in self.enabled[first..].iter().take_while(|(step, _)| *step < steps.end) {
            all.insert_all(enabled);
        }
        all
    }

    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    pub(crate) fn note(&mut self, note: Note) {
        // A fault that was asked for is part of the operation before it and has its own note.
        if let Some(event) = self.events.iter_mut().rev().find(|event| !event.op.kind.is_fault()) {
            event.note = note;
        }
    }

    pub(crate) fn note_at(&mut self, step: u32, note: Note) {
        if let Some(event) = self.events.iter_mut().rev().find(|event| event.step == step && !event.aside) {
            event.note = note;
        }
    }

    /// The operation pushed last was not the default at its step.
    pub(crate) fn choice(&mut self, step: u32, pick: u32) {
        self.stops.push(Stop { step, pick, check: Schedule::check_of(self.hash) });
    }

    /// What the tasks did to shared objects.
    pub(crate) fn profile(&self) -> Profile {
        Profile::of(&self.events)
    }

    pub(crate) fn finish(
        self,
        identity: Identity,
        repeat: Option<Repeat>,
        cut_off: bool,
        promoted: Vec<u32>,
    ) -> Trace {
        let schedule = Schedule {
            identity,
            fingerprint: self.fingerprint,
            steps: self.steps,
            end: Schedule::check_of(self.hash),
            stops: self.stops,
            repeat,
            cut_off,
            promoted,
        };
        Trace { events: self.events, schedule }
    }
}
