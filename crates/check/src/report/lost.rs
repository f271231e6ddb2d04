//! What is said of an execution whose task left our control.

use caissa_core::{Execution, TaskId, Trace};

use super::names::ObjectNames;
use super::{columns, count};
use crate::words::Words;

/// What is known of an execution whose task left our control: the steps that led there, if it could be traced, and what
/// each task is about to do. `running`: the task that did.
pub fn describe_lost(
    execution: &Execution,
    running: TaskId,
    traced: Option<(Trace, Vec<Option<String>>)>,
    words: &'static dyn Words,
    replay_command: impl FnOnce(&str) -> String,
) -> String {
    let mut text = format!("It happened after {}", count(execution.steps() as u64, "step"));
    match traced {
        Some((trace, task_names)) => {
            text.push_str(", these:\n\n");
            let schedule = trace.schedule.to_string();
            text.push_str(
                &columns::Table {
                    trace: &trace,
                    task_names: &task_names,
                    objects: &ObjectNames::default(),
                    panics: &[],
                    cycle: None,
                    marked: &[],
                    full: false,
                    words,
                }
                .to_string(),
            );
            text.push_str(&format!("\nTo get there again: {}\n", replay_command(&schedule)));
        }
        None => {
            text.push_str(" of a schedule with these switches: ");
            for choice in execution.choices() {
                text.push_str(&format!("T{} at step {}; ", choice.pick, choice.step));
            }
            text.push_str(if execution.choices().is_empty() { "none.\n" } else { "no others.\n" });
        }
    }
    for task in (0..execution.task_count()).map(TaskId) {
        let (op, source) = execution.pending(task);
        let state = match source {
            _ if execution.has_ended(task) => "has ended".to_owned(),
            _ if task == running => "is running".to_owned(),
            Some(source) => format!("is about to {op} at {source}"),
            None => "has not reached an operation".to_owned(),
        };
        text.push_str(&format!("  {task} {state}\n"));
    }
    text
}
