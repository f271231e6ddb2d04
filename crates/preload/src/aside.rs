//! Where hooks have their frames in programs in Rust: at one place far down the stack of the task, below whatever of it is compared to know loops ([`crate::spin`]).
//!
//! What a hook leaves behind there need not be the same in each execution of a schedule, and frames have holes that the program never writes to. A hook that is called further
//! down, by a hook or on a stack of the program's own, stays where it is.

use std::cell::UnsafeCell;
use std::ops::Range;

/// What lies further down on a stack is not compared.
pub(crate) const DEEPEST: usize = 256 << 10;
/// Frames of hooks take no more than this.
const ROOM: usize = 64 << 10;
/// A stack has room for hooks if it is so large.
const LARGE: usize = 4 * DEEPEST;

/// Read and written by stubs.
#[repr(C)]
struct Place {
    /// Below this the running task's hooks have their frames; 0 if they have them where they are called.
    below: usize,
    /// The program's stack pointer where it has called a hook last that has its frames below there.
    called: usize,
}

#[repr(transparent)]
pub(crate) struct Cell(UnsafeCell<Place>);

// SAFETY: one task of the program runs at a time. Whatever else there is finds its stack elsewhere.
unsafe impl Sync for Cell {}

pub(crate) static PLACE: Cell = Cell(UnsafeCell::new(Place { below: 0, called: 0 }));

/// The beginning of a stub: leaves the program's frames where hooks have theirs. `r11` is lost. Then come the call and [`come_back!`].
macro_rules! leave {
    () => {
        concat!(
            "push rbp\n",
            ".cfi_def_cfa_offset 16\n",
            ".cfi_offset rbp, -16\n",
            "mov rbp, rsp\n",
            ".cfi_def_cfa_register rbp\n",
            "mov r11, rsp\n",
            "sub r11, [rip + {place}]\n",
            "cmp r11, {deepest}\n",
            "jae 2f\n",
            "mov [rip + {place} + 8], rsp\n",
            "mov rsp, [rip + {place}]\n",
            "2:",
        )
    };
}
pub(crate) use leave;

/// The end of a stub.
macro_rules! come_back {
    () => {
        concat!("mov rsp, rbp\n", "pop rbp\n", ".cfi_def_cfa rsp, 8\n", "ret")
    };
}
pub(crate) use come_back;

/// A task with this stack goes on. `aside`: its hooks have a place of their own.
pub(crate) fn goes_on(stack: &Range<usize>, aside: bool) {
    let below = if aside && stack.len() >= LARGE { (stack.end - DEEPEST) & !15 } else { 0 };
    // SAFETY: see above; the task that runs until now is in the runtime and does not come back before somebody has called this for it.
    unsafe { (*PLACE.0.get()).below = below };
}

/// The program has come here without a stub, with this stack pointer.
pub(crate) fn called_at(pointer: usize) {
    // SAFETY: as above.
    unsafe { (*PLACE.0.get()).called = pointer };
}

/// How far down the running task has used its stack, as far as is known, if a hook has a frame here.
#[inline]
pub(crate) fn used_down_to(here: usize, stack: &Range<usize>) -> usize {
    // SAFETY: as above.
    let Place { below, called } = unsafe { PLACE.0.get().read() };
    match below {
        0 => here,
        // Called further down than that.
        _ if stack.contains(&here) && here < below - ROOM => here,
        // Others have run since.
        _ if !stack.contains(&called) => stack.end,
        _ => called,
    }
}
