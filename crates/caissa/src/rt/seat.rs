//! Seats: coroutines with their stacks, used again for task after task and execution after execution.
//!
//! A stack costs a system call to make and page faults to touch; a seat that is used again costs neither.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::rc::Rc;
use std::sync::Arc;

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};

/// What a task runs, once.
pub(crate) trait Run {
    /// Runs the closure and keeps its result.
    fn run(&self);

    /// The closure has panicked with this.
    fn fail(&self, payload: Box<dyn Any + Send>);
}

/// Shared with whoever waits for the task's result.
pub(crate) type Entry = Arc<dyn Run>;

/// What the coroutine and its owner both see.
struct Slot {
    entry: Cell<Option<Entry>>,
    yielder: Cell<*const Yielder<(), ()>>,
}

/// The coroutine of a seat; boxed, since the table of seats may grow while it runs.
pub(crate) type Running = UnsafeCell<Coroutine<(), (), (), DefaultStack>>;

pub(crate) struct Seat {
    coroutine: Box<Running>,
    slot: Rc<Slot>,
    /// The addresses just below the usable stack, where an overflow faults.
    guard: std::ops::Range<usize>,
}

impl Seat {
    pub(crate) fn new(stack_size: usize) -> std::io::Result<Seat> {
        let stack = DefaultStack::new(stack_size)?;
        let limit = stack.limit().get();
        let slot = Rc::new(Slot { entry: Cell::new(None), yielder: Cell::new(std::ptr::null()) });
        let inside = Rc::clone(&slot);
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            inside.yielder.set(yielder);
            loop {
                let entry = inside.entry.take().expect("a seat is resumed with a task or in one");
                super::current().expect("tasks run inside a check").run_task(entry);
                yielder.suspend(());
            }
        });
        Ok(Seat {
            coroutine: Box::new(UnsafeCell::new(coroutine)),
            slot,
            guard: limit.saturating_sub(4096)..limit + 64 * 1024,
        })
    }

    pub(crate) fn set_entry(&self, entry: Entry) {
        self.slot.entry.set(Some(entry));
    }

    /// The coroutine, to be resumed while no reference to the table of seats is held.
    pub(crate) fn coroutine(&self) -> *const Running {
        &*self.coroutine
    }

    pub(crate) fn yielder(&self) -> *const Yielder<(), ()> {
        self.slot.yielder.get()
    }

    /// Where an overflow of this seat's stack faults.
    pub(crate) fn guards(&self, address: usize) -> bool {
        self.guard.contains(&address)
    }

    /// Gives the seat up with a task in the middle of its stack, which is never unwound; its memory is lost.
    pub(crate) fn leak(self) {
        std::mem::forget(self);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // SAFETY: between tasks the coroutine stands in its own loop, whose only value is the slot's counter; leaving
        // that one counter behind is all that a reset without unwinding loses. Seats with a task are leaked instead.
        unsafe { self.coroutine.get_mut().force_reset() };
    }
}
