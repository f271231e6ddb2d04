//! Panics that will never be caught, and the count that std keeps of them.
//!
//! A stack that is abandoned in the middle of a panic leaves its thread counted as panicking, for std counts a panic where it
//! is thrown and forgets it where it is caught. Executions run on the thread that called the check, and there this must not be
//! so afterwards: destructors would spare what they do otherwise, and locks would not be poisoned.
//!
//! So the count is moved: another thread throws something on a stack of its own, which changes threads half-way and is caught
//! here. Here there is one panic less, there one more, and that thread ends. Nothing but the few lines in [`main`] ever changes
//! threads; what they use of the thread they are on, they look up when they need it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::stack::Stack;
use super::switch::{StackPointer, switch};

/// Room for an exception to be thrown and caught.
const STACK_SIZE: usize = 256 << 10;

/// A stack and the thread that it runs on, each of which waits for the other.
#[derive(Clone, Copy)]
struct Passage {
    thread: StackPointer,
    stack: StackPointer,
}

thread_local! {
    static PASSAGE: Cell<*mut Passage> = const { Cell::new(std::ptr::null_mut()) };
}

/// This thread, which is in no destructor, counts as not panicking from now on.
pub(crate) fn forget_abandoned_panics() -> std::io::Result<()> {
    while std::thread::panicking() {
        forget_one()?;
    }
    Ok(())
}

fn forget_one() -> std::io::Result<()> {
    struct Shared(*mut Passage);
    // SAFETY: the threads use it in turn: this one waits while the other runs.
    unsafe impl Send for Shared {}

    let ground = Stack::take(STACK_SIZE)?;
    // SAFETY: nothing uses the stack yet.
    let stack = unsafe { StackPointer::fresh(ground.top()) };
    let mut passage = Passage { thread: StackPointer::NONE, stack };
    let shared = Shared(&raw mut passage);
    let throws = move || {
        let Shared(passage) = { shared };
        PASSAGE.set(passage);
        // SAFETY: the stack is a fresh one and comes back in the middle of its panic.
        unsafe { switch(&raw mut (*passage).thread, (*passage).stack) };
    };
    let thread = std::thread::Builder::new().name("caissa".into()).spawn(throws)?;
    thread.join().expect("what it throws is caught here");
    let passage = &raw mut passage;
    // SAFETY: the thread that was on the stack has left it by a switch and ended.
    unsafe { switch(&raw mut (*passage).thread, (*passage).stack) };
    ground.keep();
    Ok(())
}

/// What runs on the stack: throws on one thread and catches on another.
///
/// Before it changes threads it uses nothing of the thread by itself, and what it calls is not inlined: the address of a
/// thread-local could be kept in a register and used on the other thread.
pub(super) fn main() -> ! {
    let passage = passage();
    let _ = catch_unwind(AssertUnwindSafe(|| throw(passage)));
    drop(Leave(passage));
    unreachable!("nobody goes on with it again")
}

#[inline(never)]
fn passage() -> *mut Passage {
    PASSAGE.get()
}

#[inline(never)]
fn throw(passage: *mut Passage) {
    let _leave = Leave(passage);
    resume_unwind(Box::new(()));
}

/// When it is dropped, leaves the thread that the stack is on, for whoever goes on with it.
struct Leave(*mut Passage);

impl Drop for Leave {
    fn drop(&mut self) {
        // SAFETY: the thread waits where it has switched to this stack.
        unsafe { switch(&raw mut (*self.0).stack, (*self.0).thread) };
    }
}
