//! Seats: stacks on which tasks run, one after the other.
//!
//! Between two tasks a seat stands in the loop of [`main`]; a task begins by switching there.

use std::any::Any;
use std::sync::Arc;

use super::stack::Stack;
use super::switch::{StackPointer, switch};

/// What a task runs, once.
pub(crate) trait Run {
    /// Runs the closure and keeps its result.
    fn run(&self);

    /// The closure has panicked with this.
    fn fail(&self, payload: Box<dyn Any + Send>);
}

/// Shared with whoever waits for the task's result.
pub(crate) type Entry = Arc<dyn Run>;

pub(crate) struct Seat {
    /// Taken when the seat is dropped.
    stack: Option<Stack>,
    /// Where it stands between two tasks.
    pub(crate) idle: StackPointer,
    /// What the next task runs.
    pub(crate) entry: Option<Entry>,
}

impl Seat {
    pub(crate) fn new(stack_size: usize) -> std::io::Result<Seat> {
        let stack = Stack::take(stack_size)?;
        // SAFETY: nothing uses the stack yet.
        let idle = unsafe { StackPointer::fresh(stack.top()) };
        Ok(Seat { stack: Some(stack), idle, entry: None })
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
        // Between two tasks nothing on it has to be dropped; seats with a task are leaked instead.
        if let Some(stack) = self.stack.take() {
            stack.keep();
        }
    }
}

/// What runs on a seat.
pub(super) extern "C" fn main() -> ! {
    loop {
        let rt = super::current().expect("tasks run inside a check");
        let turn = rt.run_task();
        // SAFETY: the engine names a task that waits, or its own stack; whoever is seated here next switches back.
        unsafe { switch(turn.save, turn.to) };
    }
}
