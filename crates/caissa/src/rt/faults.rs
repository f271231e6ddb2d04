//! Faults: asking whether one happens. What a fault does is said where it happens.

use caissa_core::Op;

use super::{Rt, Source};

impl Rt {
    /// Whether this fault of the running task happens: a choice between no and yes, and a step, as long as the execution
    /// has faults left in its budget; else no. While the task unwinds there are no faults.
    #[inline]
    pub(crate) fn fault(self, op: Op, source: Source) -> bool {
        self.engine().execution.may_fault() && self.ask_for_fault(op, source)
    }

    #[cold]
    fn ask_for_fault(self, op: Op, source: Source) -> bool {
        if std::thread::panicking() {
            return false;
        }
        self.throw_if_aborting();
        match self.engine().execution.fault(op, source.into()) {
            Some(happens) => happens,
            None => {
                self.suspend();
                false
            }
        }
    }
}
