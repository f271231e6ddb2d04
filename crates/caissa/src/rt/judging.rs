//! What is wrong with an execution that has ended.

use caissa_core::{
    Bug, Checker, DeadlockChecker, Ending, Failure, LivenessChecker, OpKind, PanicChecker, RaceChecker,
    TaskId,
};

use super::Engine;

impl Engine {
    /// What is wrong with the execution that has just run, if anything.
    pub(super) fn find_bug(&self) -> Option<Bug> {
        let waits_for = |task| self.waits_for(task);
        let mut panics = PanicChecker { any: self.settings.panics_any };
        let allow_detached = self.settings.allow_detached;
        let mut deadlocks = DeadlockChecker { allow_detached };
        let mut endless = LivenessChecker { allow_detached, ..LivenessChecker::default() };
        let checkers: [&mut dyn Checker; 4] = [&mut RaceChecker, &mut panics, &mut deadlocks, &mut endless];
        let mut bug = checkers.into_iter().find_map(|checker| checker.ended(&self.execution, &waits_for))?;
        if let Bug::Panic { blocked, .. } | Bug::Deadlock { blocked, .. } = &mut bug {
            for blocked in blocked {
                blocked.clause = self.waker_words(blocked.task);
            }
        }
        Some(bug)
    }

    /// The tasks that would have to act before a blocked one can go on.
    fn waits_for(&self, task: TaskId) -> Vec<TaskId> {
        let (op, _) = self.execution.pending(task);
        match op.kind {
            OpKind::Join => vec![TaskId(op.object.0)],
            OpKind::Await => self.awaits_tasks(task),
            OpKind::ScopeEnd => {
                let tasks = (0..self.execution.task_count()).map(TaskId);
                let of_scope = |task: &TaskId| self.tasks[task.index()].scope == Some(op.object.0 as usize);
                tasks.filter(|task| of_scope(task) && !self.execution.has_ended(*task)).collect()
            }
            kind if kind.can_block() => self.objects[op.object.0 as usize].blockers(kind),
            _ => Vec::new(),
        }
    }

    /// The failure that the execution which has just run shows, if any.
    pub(super) fn judge(&self) -> Option<Failure> {
        let failed = match self.execution.ending() {
            Some(Ending::Complete | Ending::StepLimit | Ending::Deadlock | Ending::Panicked) => {
                self.bug.is_some()
            }
            Some(Ending::Diverged | Ending::Misused | Ending::Raced) => true,
            _ => false,
        };
        failed.then(|| self.execution.failure())
    }
}
