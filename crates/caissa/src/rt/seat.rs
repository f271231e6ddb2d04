//! Seats: stacks on which tasks run, one after the other.
//!
//! A task begins at the upper end of its stack and never returns from there: when it has ended it switches away, and the
//! next one begins at the upper end again. Returning would cost: what a processor expects to return to is another task's.

use std::any::Any;
use std::sync::Arc;

use super::stack::Stack;
use super::switch::StackPointer;

/// What a task runs, once.
pub(crate) trait Run {
    /// Runs the closure and keeps its result. It may end the task by itself (`Rt::finish_task`) and not return.
    fn run(&self);

    /// Whether only who holds this very value can ask whether the task has ended, except by a join that waits for it.
    fn is_its_own_handle(&self) -> bool {
        false
    }

    /// Whether the task drops its result when it has ended, because nobody else can, if its entry has so many owners then. What
    /// the result's destructor does is part of that step.
    fn drops_result(&self, owners: usize) -> bool;

    /// The closure has panicked with this.
    fn fail(&self, payload: Box<dyn Any + Send>);

    /// The task takes its last step.
    fn ended(&self) {}
}

/// Shared with whoever waits for the task's result.
pub(crate) type Entry = Arc<dyn Run>;

pub(crate) struct Seat {
    /// Taken when the seat is dropped.
    stack: Option<Stack>,
    /// What its task runs.
    pub(crate) entry: Option<Entry>,
}

impl Seat {
    pub(crate) fn new(stack_size: usize) -> std::io::Result<Seat> {
        Ok(Seat { stack: Some(Stack::take(stack_size)?), entry: None })
    }

    /// Seats a task; it begins when it is switched to.
    pub(crate) fn begin(&mut self, entry: Entry) -> StackPointer {
        self.entry = Some(entry);
        let stack = self.stack.as_ref().expect("a seat has its stack");
        // SAFETY: no task is on the seat, so nothing uses its stack.
        unsafe { StackPointer::fresh(stack.top()) }
    }

    /// Whether an overflow of this seat's stack faults at the address.
    pub(crate) fn guards(&self, address: usize) -> bool {
        self.stack.as_ref().is_some_and(|stack| stack.guard().contains(&address))
    }

    /// Gives the seat up with a task in the middle of its stack, which is never unwound; its memory is lost.
    pub(crate) fn leak(mut self) {
        std::mem::forget(self.stack.take());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // Nothing on it has to be dropped; seats with a task are leaked instead.
        if let Some(stack) = self.stack.take() {
            stack.keep();
        }
    }
}

/// What runs on a fresh stack: inside a check a task.
pub(super) extern "C" fn main() -> ! {
    match super::current() {
        Some(rt) => rt.run_task(),
        None => super::recount::main(),
    }
}
