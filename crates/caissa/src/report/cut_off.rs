//! An execution that was cut off at `max_steps`: how far it had come.

use std::fmt;

use caissa_core::{Op, Source, TaskId, Trace};

use super::{columns, replay_line, task_name};
use crate::rt::Engine;

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
    /// What each task that had not ended was about to do.
    pending: Vec<(TaskId, Op, Source)>,
    /// The command that replays it, without the schedule.
    again: Option<String>,
}

impl CutOff {
    /// The execution that an engine has just run.
    pub(crate) fn new(trace: Trace, engine: &Engine) -> CutOff {
        let execution = &engine.execution;
        let unfinished = (0..execution.task_count()).map(TaskId).filter(|&task| !execution.has_ended(task));
        let pending = unfinished.filter_map(|task| {
            let (op, source) = execution.pending(task);
            Some((task, op, source?))
        });
        CutOff { trace, task_names: engine.task_names(), pending: pending.collect(), again: None }
    }

    pub(crate) fn again(self, command: String) -> CutOff {
        CutOff { again: Some(command), ..self }
    }

    /// Its last steps, or all.
    pub(super) fn shown(&self, full: bool) -> impl fmt::Display {
        let Trace { events, schedule, .. } = &self.trace;
        let first = if full { 0 } else { schedule.steps.saturating_sub(LAST_STEPS) };
        let last = events.partition_point(|event| event.step < first);
        let trace = Trace { events: events[last..].to_vec(), ..self.trace.clone() };
        let table = columns::Table {
            trace: &trace,
            task_names: &self.task_names,
            panics: &[],
            cycle: None,
            marked: &[],
            full: true,
        };
        let mut text = format!("{table}\n");
        for (task, op, source) in &self.pending {
            let task = task_name(&self.task_names, *task);
            text.push_str(&format!("  task {task} is about to {op} at {source}\n"));
        }
        let schedule = schedule.to_string();
        if let Some(again) = self.again.as_ref().filter(|_| schedule.len() <= LONG_SCHEDULE) {
            text.push_str(&format!("To look at it: {}\n", replay_line(&schedule, again)));
        }
        text
    }
}
