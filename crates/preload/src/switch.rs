//! Switching from one task's stack to another's, with its thread-local storage.
//!
//! A task that does not run is a stack pointer, with the registers that a call preserves on top of its stack, and a thread pointer.

use std::arch::{asm, naked_asm};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sys;

/// Where a task that does not run goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Context {
    /// Its stack pointer.
    pub(crate) stack: usize,
    /// Its thread pointer.
    pub(crate) thread: usize,
}

/// The processor lets programs set the thread pointer by themselves.
static WRITES_THREAD_POINTER: AtomicBool = AtomicBool::new(false);

/// Finds out what the processor can do.
pub(crate) fn prepare() {
    const FSGSBASE: u64 = 1 << 1;
    // SAFETY: it only reads what the kernel has told.
    let features = unsafe { libc::getauxval(libc::AT_HWCAP2) };
    WRITES_THREAD_POINTER.store(features & FSGSBASE != 0, Ordering::Relaxed);
}

fn set_thread_pointer(thread: usize) {
    if WRITES_THREAD_POINTER.load(Ordering::Relaxed) {
        // SAFETY: it is a thread's; nothing here uses thread-local storage.
        unsafe { asm!("wrfsbase {}", in(reg) thread, options(nostack, preserves_flags)) };
    } else {
        const ARCH_SET_FS: usize = 0x1002;
        // SAFETY: as above.
        unsafe { sys::call(libc::SYS_arch_prctl, ARCH_SET_FS, thread, 0) };
    }
}

/// Leaves the running stack in `save` and goes on with another one.
///
/// # Safety
/// `to` is a context that a switch has left, or a fresh one, and nothing else goes on with it.
#[inline]
pub(crate) unsafe fn switch(save: *mut usize, to: Context) {
    set_thread_pointer(to.thread);
    // SAFETY: as the caller says.
    unsafe { exchange(save, to.stack) };
}

#[unsafe(naked)]
unsafe extern "C" fn exchange(save: *mut usize, to: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Nothing is left of what was computed by the older unit for floating point: its registers are empty, no exceptions were raised.
pub(crate) fn clear_floating() {
    // SAFETY: whoever comes next sets how it computes; nobody has values there.
    unsafe { asm!("fninit", options(nostack)) };
}

/// Words that a switch leaves on a stack, the address to go on at included.
const SAVED: usize = 8;

/// How the units for floating point are set now: a thread begins with what the one that starts it has.
fn floating() -> usize {
    let mut words = [0u32; 2];
    // SAFETY: the words are ours; nothing but them changes.
    unsafe {
        asm!("stmxcsr [{0}]", "fnstcw [{0} + 4]", in(reg) words.as_mut_ptr(), options(nostack, preserves_flags));
    }
    // Exceptions that were raised are nobody else's.
    const RAISED: u32 = 0x3f;
    (words[0] & !RAISED) as usize | (words[1] as usize) << 32
}

/// A stack that calls `main` when it is switched to. `main` does not return.
///
/// # Safety
/// `top` is the upper end of memory that nothing uses, with room for its frames.
pub(crate) unsafe fn fresh(top: usize, main: extern "C-unwind" fn() -> !) -> usize {
    // When `main` begins the stack is as after a call, and the return address is where backtraces end.
    let words = ((top & !15) as *mut usize).wrapping_sub(SAVED + 1);
    // SAFETY: the words lie in that memory.
    unsafe {
        words.write_bytes(0, SAVED + 1);
        words.write(floating());
        words.add(7).write(main as *const () as usize);
        words as usize
    }
}
