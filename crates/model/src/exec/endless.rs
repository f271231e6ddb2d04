//! Executions that may have no end.

use caissa_core::{Bug, Execution, Failure, Identity, Job};
use caissa_search::Beside;

use super::{BuiltIn, Exec};

impl Exec {
    pub(super) fn look_closer(&mut self, job: &Job) -> Option<Failure> {
        caissa_search::look_closer(self, job)
    }

    pub(super) fn confirm_endless(&mut self, job: &Job) {
        caissa_search::confirm_endless(self, job);
    }
}

impl Beside for Exec {
    fn execution(&mut self) -> &mut Execution {
        &mut self.execution
    }

    fn bug(&mut self) -> &mut Option<Bug> {
        &mut self.bug
    }

    fn beside<R>(&mut self, job: &Job, look: impl FnOnce(&mut Exec) -> R) -> R {
        let identity: Identity = self.execution.identity();
        let mut aside = self.aside.take().unwrap_or_else(|| Box::new(Execution::new(false, identity)));
        aside.set_clocks(self.execution.has_clocks());
        std::mem::swap(&mut self.execution, &mut aside);
        if self.execution.begin(job, &BuiltIn) {
            self.run_execution();
            self.execution.finish();
        }
        let result = look(self);
        self.bug = None;
        std::mem::swap(&mut self.execution, &mut aside);
        self.aside = Some(aside);
        result
    }

    fn keep_cut_off(&mut self, failure: Failure) {
        if let Some(pulse) = &self.pulse {
            pulse.keep_cut_off(failure);
        }
    }
}
