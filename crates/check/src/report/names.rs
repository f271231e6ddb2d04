//! What tasks and objects are called.

use std::collections::BTreeMap;

use caissa_core::{Blocked, Bug, ObjectId, ObjectKind, Op, OpKind, TaskId, Trace};
use caissa_search::Subject;

/// The names that a front end has for the things of an execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Of tasks, by number.
    pub(crate) tasks: Vec<Option<String>>,
    pub(crate) objects: ObjectNames,
    /// What else there is to say, line by line.
    pub(crate) details: Vec<String>,
}

/// The names of objects, by their kinds (as words) and numbers. Others are called by that.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectNames(BTreeMap<(&'static str, u32), String>);

impl Names {
    /// Those of the execution that a subject ran last.
    pub(crate) fn of(subject: &impl Subject, trace: &Trace, bug: Option<&Bug>) -> Names {
        let mut names = ObjectNames::default();
        let mut ask = |kind: ObjectKind, object: ObjectId| {
            if kind != ObjectKind::Task
                && let Some(name) = subject.object_name(kind, object)
            {
                names.0.insert((kind.word(), object.0), name);
            }
        };
        trace.events.iter().for_each(|event| ask(event.op.kind.object_kind(), event.op.object));
        subject.pending().iter().for_each(|(_, op, _)| ask(op.kind.object_kind(), op.object));
        match bug {
            Some(Bug::Race { object, .. }) => ask(ObjectKind::Cell, *object),
            Some(Bug::Panic { blocked, .. } | Bug::Deadlock { blocked, .. }) => {
                blocked.iter().for_each(|Blocked { op, .. }| ask(op.kind.object_kind(), op.object));
            }
            _ => {}
        }
        Names { tasks: subject.task_names(), objects: names, details: subject.details() }
    }
}

impl ObjectNames {
    /// What an object is called: its name, or else its kind and number.
    pub(super) fn of(&self, kind: ObjectKind, object: ObjectId) -> String {
        let given = self.0.get(&(kind.word(), object.0));
        given.map_or_else(|| format!("{}#{}", kind.word(), object.0), String::clone)
    }

    /// An operation with the name of its object.
    pub(super) fn op(&self, op: Op) -> String {
        match self.0.get(&(op.kind.object_kind().word(), op.object.0)) {
            // Its name is what it does.
            Some(name) if op.kind == OpKind::Statement => name.clone(),
            Some(name) if op.names_object() => format!("{} {name}", op.kind.word()),
            _ => op.to_string(),
        }
    }
}

/// What a task is called: its number, and its name if it has one.
pub(super) fn task_name(names: &[Option<String>], task: TaskId) -> String {
    match names.get(task.index()) {
        Some(Some(name)) => format!("{task} ({name})"),
        _ if task == TaskId::MAIN => format!("{task} (main)"),
        _ => task.to_string(),
    }
}
