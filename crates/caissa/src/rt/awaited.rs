//! What async tasks have left their wakers with: what a report says of one that is never woken.
//!
//! All of this is kept in traced executions only.
//!
//! Not seen: where in the source a waker is cloned, dropped or woken, because those functions do not know their callers. What
//! the task announced last, which a traced execution knows, stands for it.

use caissa_core::{ObjectKind, Op, OpKind, TaskId};

use super::{Engine, Rt, Source};

/// Something that a task waits for, and where.
pub(super) struct Awaited {
    task: TaskId,
    what: What,
    source: Source,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A waiter of an object, by its ticket.
    Object(ObjectKind, usize, u64),
    /// The end of a task.
    Task(TaskId),
}

/// What has become of a task's wakers; kept in traced executions.
#[derive(Default)]
pub(super) struct Trail {
    pub(super) alive: i64,
    pub(super) cloned: Option<Moment>,
    pub(super) cloned_since_poll: bool,
    pub(super) dropped: Option<Moment>,
}

/// Who did something, and what it had announced last.
#[derive(Clone)]
pub(super) struct Moment {
    task: TaskId,
    after: Op,
    pub(super) source: Source,
}

impl Rt {
    pub(super) fn moment(self) -> Moment {
        let engine = self.engine();
        let task = engine.running;
        let (after, source) = engine.execution.pending(task);
        let source = match source {
            Some(caissa_core::Source::Rust(source)) => source,
            _ => engine.tasks[task.index()].source,
        };
        Moment { task, after, source }
    }

    /// A `JoinHandle` is not awaited any more.
    pub(crate) fn awaits_task_no_more(self, task: TaskId) {
        self.awaits_no_more(What::Task(task));
    }

    /// The running task has left a waker with an object.
    pub(crate) fn awaits_object(self, object: usize, ticket: u64, source: Source) {
        let kind = self.engine().objects[object].kind;
        self.awaits(What::Object(kind, object, ticket), source);
    }

    /// A waiter of an object was woken or is gone.
    pub(crate) fn awaits_object_no_more(self, object: usize, ticket: u64) {
        let kind = self.engine().objects[object].kind;
        self.awaits_no_more(What::Object(kind, object, ticket));
    }

    pub(super) fn awaits(self, what: What, source: Source) {
        let engine = self.engine();
        if engine.execution.is_traced() && engine.execution.ending().is_none() {
            let task = engine.running;
            engine.wakings.awaited.retain(|awaited| awaited.what != what || awaited.task != task);
            engine.wakings.awaited.push(Awaited { task, what, source });
        }
    }

    pub(super) fn awaits_no_more(self, what: What) {
        let engine = self.engine();
        if engine.execution.is_traced() && engine.execution.ending().is_none() {
            let me = engine.running;
            let own = |awaited: &Awaited| !matches!(what, What::Task(_)) || awaited.task == me;
            engine.wakings.awaited.retain(|awaited| awaited.what != what || !own(awaited));
        }
    }
}

impl Engine {
    /// Where a task has left its waker with an object last.
    pub(super) fn awaits_at(&self, task: TaskId) -> Option<Source> {
        let of_task = |awaited: &&Awaited| awaited.task == task && matches!(awaited.what, What::Object(..));
        self.wakings.awaited.iter().rfind(of_task).map(|awaited| awaited.source)
    }

    /// The tasks that would have to act before an async task is woken, where there is one thing it waits for.
    pub(super) fn awaits_tasks(&self, task: TaskId) -> Vec<TaskId> {
        let mut awaited = self.wakings.awaited.iter().filter(|awaited| awaited.task == task);
        match (awaited.next(), awaited.next()) {
            (Some(Awaited { what: What::Task(other), .. }), None) => vec![*other],
            (Some(Awaited { what: What::Object(_, object, _), .. }), None) => {
                let object = &self.objects[*object];
                object.holder.into_iter().chain(object.queue.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where the waker of a task is that waits to be woken for ever: a clause for reports, known in traced executions.
    pub(super) fn waker_words(&self, task: TaskId) -> Option<String> {
        let waits = self.execution.pending(task).0.kind == OpKind::Await;
        if self.execution.has_ended(task) || !waits || !self.execution.is_traced() {
            return None;
        }
        let waking = self.wakings.table.get(task.index())?;
        if waking.is_woken() {
            let set = waking.local_set?;
            let holder = self.objects[set].holder?;
            return Some(format!("has been woken, but {holder} runs on the thread that they share"));
        }
        let held: Vec<String> = self
            .wakings
            .awaited
            .iter()
            .filter(|awaited| awaited.task == task)
            .map(|awaited| match awaited.what {
                What::Object(kind, object, _) => {
                    format!("{}#{object} (since {})", kind.word(), awaited.source)
                }
                What::Task(other) => format!("the join handle of {other} (spawned at {})", awaited.source),
            })
            .collect();
        let trail = &waking.trail;
        let did = |moment: &Moment| format!("{} after `{}` at {}", moment.task, moment.after, moment.source);
        Some(match (&held[..], &trail.cloned, &trail.dropped) {
            ([_, ..], ..) => format!("its waker is held by {} and nobody wakes it", held.join(", ")),
            ([], Some(cloned), _) if trail.alive > 0 => {
                format!("its waker was cloned by {} and is kept, but nobody wakes it", did(cloned))
            }
            ([], Some(_), Some(dropped)) if trail.cloned_since_poll => {
                format!("the last clone of its waker was dropped by {} without being woken", did(dropped))
            }
            _ => "its future was polled and kept no clone of its waker, so nobody can wake it".to_owned(),
        })
    }
}
