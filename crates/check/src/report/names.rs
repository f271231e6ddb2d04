//! What tasks and objects are called.

use caissa_core::{ObjectId, ObjectKind, Op, TaskId};
use caissa_search::Subject;

/// The names that a front end has for things, by number.
pub(crate) struct Names {
    pub(crate) tasks: Vec<Option<String>>,
    pub(crate) objects: Vec<Option<String>>,
}

impl Names {
    /// Those of the execution that a subject ran last.
    pub(crate) fn of(subject: &impl Subject) -> Names {
        Names { tasks: subject.task_names(), objects: subject.object_names() }
    }
}

/// What a task is called: its number, and its name if it has one.
pub(super) fn task_name(names: &[Option<String>], task: TaskId) -> String {
    match names.get(task.index()) {
        _ if task == TaskId::MAIN => format!("{task} (main)"),
        Some(Some(name)) => format!("{task} ({name})"),
        _ => task.to_string(),
    }
}

fn given(names: &[Option<String>], object: ObjectId) -> Option<&str> {
    names.get(object.0 as usize).and_then(|name| name.as_deref())
}

/// What an object is called: its name, or else its kind and number.
pub(super) fn object_name(names: &[Option<String>], kind: ObjectKind, object: ObjectId) -> String {
    given(names, object).map_or_else(|| format!("{}#{}", kind.word(), object.0), str::to_owned)
}

/// An operation with the name of its object.
pub(super) fn op_name(names: &[Option<String>], op: Op) -> String {
    match given(names, op.object).filter(|_| op.names_object()) {
        Some(name) => format!("{} {name}", op.kind.word()),
        None => op.to_string(),
    }
}
