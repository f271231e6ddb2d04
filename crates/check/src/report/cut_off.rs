//! An execution that was cut off at `max_steps`: how far it had come.

use std::fmt;

use caissa_core::{Op, OpKind, Source, TaskId, Trace};
use caissa_search::Subject;

use super::names::{ObjectNames, task_name};
use super::{MAX_TASKS, Names, columns, count};
use crate::words::Words;

/// Steps that are shown.
const LAST_STEPS: u32 = 12;
/// A longer schedule is not printed.
const LONG_SCHEDULE: usize = 1_000;

/// An execution that was cut off at `max_steps`.
#[derive(Clone, Debug)]
pub struct CutOff {
    /// What happened.
    pub trace: Trace,
    /// The names of the tasks, by number.
    pub task_names: Vec<Option<String>>,
    objects: ObjectNames,
    /// What each task that had not ended was about to do.
    pending: Vec<(TaskId, Op, Source)>,
    /// The command that replays it, if its schedule is not too long.
    again: Option<String>,
}

impl CutOff {
    /// The execution that a subject has just run.
    pub(crate) fn new(trace: Trace, subject: &impl Subject) -> CutOff {
        let Names { tasks, objects, .. } = Names::of(subject, &trace, None);
        CutOff { trace, task_names: tasks, objects, pending: subject.pending(), again: None }
    }

    pub(crate) fn replayed_by(mut self, command: impl FnOnce(&str) -> String) -> CutOff {
        let schedule = self.trace.schedule.to_string();
        self.again = (schedule.len() <= LONG_SCHEDULE).then(|| command(&schedule));
        self
    }

    /// Its last steps, or all.
    pub(super) fn shown(&self, full: bool, words: &'static dyn Words) -> impl fmt::Display {
        let Trace { events, schedule, .. } = &self.trace;
        let first = if full { 0 } else { schedule.steps.saturating_sub(LAST_STEPS) };
        let last = events.partition_point(|event| event.step < first);
        let trace = Trace { events: events[last..].to_vec(), ..self.trace.clone() };
        let table = columns::Table {
            trace: &trace,
            task_names: &self.task_names,
            objects: &self.objects,
            panics: &[],
            cycle: None,
            marked: &[],
            full: true,
            words,
        };
        let mut text = format!("{table}\n");
        let shown = if full { self.pending.len() } else { self.pending.len().min(MAX_TASKS) };
        for (task, op, source) in &self.pending[..shown] {
            let task = task_name(&self.task_names, *task);
            let next = match op.kind {
                OpKind::Statement => format!("do `{}`", self.objects.op(*op)),
                _ => self.objects.op(*op),
            };
            text.push_str(&format!("  task {task} is about to {next} at {source}\n"));
        }
        if let more @ 1.. = self.pending.len() - shown {
            text.push_str(&format!("  and {}\n", count(more as u64, "more task")));
        }
        if let Some(again) = &self.again {
            text.push_str(&format!("To look at it: {again}\n"));
        }
        text
    }
}
