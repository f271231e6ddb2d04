//! What a task does wrong by itself: failed assertions, crashes, misused locks.

use caissa_core::{Ending, PanicNote, Word};

use crate::rt::Rt;

impl Rt {
    /// The running task fails, and with it the execution. The message says what it does, without its name.
    pub(crate) fn fail(&self, kind: Word, message: String, pc: usize) -> ! {
        self.report(kind, message, pc);
        self.leave()
    }

    /// As [`Rt::fail`]; the execution is over, but its process goes on.
    pub(crate) fn report(&self, kind: Word, message: String, pc: usize) {
        let source = self.source(pc);
        let state = self.state();
        if state.execution.ending().is_some() {
            return;
        }
        state.place = Some(source);
        let note = PanicNote {
            kind,
            task: state.running,
            message,
            // The host knows what place it is.
            source: String::new(),
            step: state.execution.steps(),
            consumed: false,
            passed_on: None,
        };
        state.execution.panicked(note);
        state.execution.end(Ending::Panicked);
    }
}
