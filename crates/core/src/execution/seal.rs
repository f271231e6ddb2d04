//! Preemption sealing (Ball, Burckhardt, Coons, Musuvathi, Qadeer, TACAS 2010): where a task is not to be preempted.
//!
//! At a sealed point the running task is the only option as long as it could go on, whatever search or guide there is. It is left
//! all the same if it blocks, gives its turn away, ends, or if fairness does not let it go on. Going on with the running
//! task is also what the default of a schedule is, so that schedules replay without the seals under which they were made; and
//! what points passed on fuel do.
//!
//! A sealed point is no dispatch of a delaying scheduler: the running task is not given back. Schedulers that go on with the
//! running task would not notice; the others, those that look after new tasks first, do so at the next point that is not sealed.
//!
//! What is sealed is for the front end to say, at each point that it announces.

use super::Execution;

impl Execution {
    /// Whether the point that the running task announces next is sealed. It holds until something else is said.
    #[inline]
    pub fn seal(&mut self, sealed: bool) {
        self.sealed = sealed;
        if sealed {
            self.pay_attention();
            self.close = true;
        }
    }

    /// Whether no task but the running one is enabled.
    #[inline]
    pub fn is_alone(&self) -> bool {
        self.enabled.is_only(self.current)
    }

    #[cold]
    pub(super) fn keep_running(&mut self) {
        self.alone.clear();
        self.alone.insert(self.current);
    }
}
