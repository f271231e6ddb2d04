//! Panics of Rust.
//!
//! A panic says where it is and why on standard errors, and then unwinds the stack like any exception. It is a bug if it ends its thread, and nobody joins the
//! thread and learns of it. Who catches it inside the thread's body knows what it does.

use std::ffi::{c_int, c_void};

use caissa_core::{PanicNote, Source, TaskId};

use super::stubs;
use crate::real::real;
use crate::rt::Rt;
use crate::unwind::{self, Exception, UnwindContext};

stubs! {
    _Unwind_RaiseException/1 => raise,
    _Unwind_SetIP/2 => set_pointer,
    _Unwind_Backtrace/2 => backtrace,
}

/// The class of Rust's exceptions: vendor and language, in one order of bytes or the other, by version.
const RUST: [u64; 2] = [u64::from_be_bytes(*b"MOZ\0RUST"), u64::from_le_bytes(*b"MOZ\0RUST")];

/// So much of what a thread says is kept.
const KEPT: usize = 4096;
/// How a thread begins to say that it panics.
const BEGINS: &[u8] = b"\nthread '";
const PANICKED: &str = "panicked at ";

/// A panic that has not been caught yet.
#[derive(Debug)]
pub(crate) struct Panic {
    note: PanicNote,
    source: Source,
    /// Whoever catches it further out than this frame ends the thread.
    body: usize,
}

/// What a task has said when it panicked. One that takes the panic up again says nothing.
#[derive(Debug)]
pub(crate) struct Said {
    place: String,
    message: String,
    source: Source,
}

impl Rt {
    /// The running task says something on standard errors.
    pub(super) fn hear(&self, text: &[u8]) {
        let said = &mut self.task().said;
        if text.starts_with(BEGINS) {
            said.clear();
        }
        if !said.is_empty() || text.starts_with(BEGINS) {
            let room = KEPT.saturating_sub(said.len());
            said.extend_from_slice(&text[..text.len().min(room)]);
        }
    }

    /// Where and why the running task has said that it panics.
    fn said(&self) -> Option<(String, String)> {
        let said = String::from_utf8_lossy(&self.task().said).into_owned();
        let (_, rest) = said.split_once(PANICKED)?;
        let (place, message) = rest.split_once(":\n")?;
        let message = message.split("\nnote: ").next().unwrap_or(message);
        let message = message.split("\nstack backtrace:").next().unwrap_or(message);
        Some((place.to_owned(), message.trim_end().to_owned()))
    }

    /// What the running task has said when it panicked, for a sentence about what became of it.
    pub(super) fn last_words(&self) -> Option<String> {
        let (place, message) = self.said()?;
        Some(format!("{message} (at {place})"))
    }

    fn begin_panic(&self, pc: usize) {
        let said = self.said();
        self.task().said.clear();
        let passed_on = self.passes_on(said.as_ref().map(|(_, message)| &**message));
        if said.is_some() {
            // What it has joined before is not what it takes up again, if it does.
            self.task().joined_last = None;
            self.task().said_last =
                said.map(|(place, message)| Said { place, message, source: self.source(pc) });
        }
        let (place, message, source) = match &self.task().said_last {
            Some(said) => (said.place.clone(), said.message.clone(), said.source),
            None => (String::new(), "(no message)".to_owned(), self.source(pc)),
        };
        let state = self.state();
        if let Some(task) = passed_on {
            state.execution.consume_panic(task);
        }
        let note = PanicNote {
            kind: "panic",
            task: state.running,
            message,
            source: place,
            step: state.execution.steps(),
            consumed: false,
            passed_on,
        };
        let body = unwind::innermost_in(&state.code.bodies);
        self.task().panic = Some(Panic { note, source, body });
    }

    /// The task whose panic the running one passes on, by what it says: a panic that is taken up again says nothing.
    fn passes_on(&self, message: Option<&str>) -> Option<TaskId> {
        let state = self.state();
        let panicked = |&task: &TaskId| state.execution.panics().iter().any(|note| note.task == task);
        match message {
            None => self.task().joined_last.filter(panicked),
            Some(message) if message.contains("Any { .. }") => self.task().joined_last.filter(panicked),
            Some(message) if message.contains("a scoped thread panicked") => {
                let others = state.execution.panics().iter().filter(|note| note.task != state.running);
                others.map(|note| note.task).next_back()
            }
            Some(_) => None,
        }
    }

    /// A panic is about to be caught in this frame, or something is to be done there before it goes on.
    fn lands(&self, frame: usize) {
        if self.task().panic.as_ref().is_none_or(|panic| frame <= panic.body) {
            return;
        }
        let Some(panic) = self.task().panic.take() else { return };
        let state = self.state();
        state.panics.push((panic.note.task, panic.source));
        state.execution.panicked(panic.note);
    }

    /// The process ends with this code: was some panic not meant to be?
    pub(crate) fn judge_panics(&self, code: c_int) -> bool {
        const TEST: TaskId = TaskId(1);
        let state = self.state();
        if code == 0 && state.execution.is_in_reserve() {
            // If the test has panicked, it was to.
            state.execution.consume_panic(TEST);
        }
        state.execution.panics().iter().any(|note| !note.consumed)
    }
}

/// Rust prints where it is when it panics again in the course of a panic, whatever it was told, and reads all debug information for it. It finds nothing.
extern "C-unwind" fn backtrace(trace: *mut c_void, argument: *mut c_void, _pc: usize) -> c_int {
    const END_OF_STACK: c_int = 5;
    match Rt::enter() {
        Some(rt) if rt.state().code.of_rust => END_OF_STACK,
        _ => real!(_Unwind_Backtrace(trace => *mut c_void, argument => *mut c_void) -> c_int),
    }
}

extern "C-unwind" fn raise(exception: *mut Exception, pc: usize) -> c_int {
    // SAFETY: the program's own exception.
    if RUST.contains(&unsafe { (*exception).class() })
        && let Some(rt) = Rt::enter()
    {
        rt.begin_panic(pc);
    }
    real!(_Unwind_RaiseException(exception => *mut Exception) -> c_int)
}

extern "C-unwind" fn set_pointer(context: *mut UnwindContext, pointer: *mut c_void, _pc: usize) {
    if let Some(rt) = Rt::enter() {
        rt.lands(unwind::frame_of(context));
    }
    real!(_Unwind_SetIP(context => *mut UnwindContext, pointer => *mut c_void) -> ());
}
