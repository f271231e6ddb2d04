//! Executions that may have no end are judged by caissa-search (`endless.rs` there); here is how one is run beside the present job.
//!
//! It has an execution object of its own, so that the job goes on afterwards where it was.

use caissa_core::{Bug, Execution, Failure, Job};
use caissa_search::Beside;

use super::Rt;

impl Beside for Rt {
    fn execution(&mut self) -> &mut Execution {
        &mut self.engine().execution
    }

    fn bug(&mut self) -> &mut Option<Bug> {
        &mut self.engine().bug
    }

    fn beside<R>(&mut self, job: &Job, look: impl FnOnce(&mut Rt) -> R) -> R {
        let engine = self.engine();
        let mut aside = engine.aside.take().unwrap_or_else(|| Box::new(engine.terms.execution(false)));
        aside.set_clocks(engine.execution.has_clocks());
        std::mem::swap(&mut engine.execution, &mut aside);
        let seen = engine.states.put_aside();
        let schedulers = engine.settings.schedulers.clone();
        if engine.execution.begin(job, &schedulers) {
            self.run_execution();
            self.engine().execution.finish();
        }
        let result = look(self);
        let engine = self.engine();
        engine.bug = None;
        engine.states.put_back(seen);
        std::mem::swap(&mut engine.execution, &mut aside);
        engine.aside = Some(aside);
        result
    }

    fn keep_cut_off(&mut self, failure: Failure) {
        self.engine().terms.pulse.keep_cut_off(failure);
    }
}
