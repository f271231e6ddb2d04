//! Switching from one task's stack to another's.
//!
//! A task that is not running is a stack pointer: what it needs to go on lies on top of its stack. A switch pushes the
//! registers that a call preserves, exchanges stack pointers and pops those of the other task. Tasks switch to each other
//! directly; a loop in between would cost a second switch.
//!
//! Where a task comes back it jumps to where it was called from and does not return there: processors predict returns by
//! the calls before them, and those were another task's. A jump is predicted by what was done here in earlier executions,
//! which are nearly the same.
//!
//! A task that is to be unwound goes on as if it had called [`throw_entry`] instead ([`StackPointer::throwing`]).

use std::arch::naked_asm;

use caissa_core::Op;

use super::Source;
use super::engine::Engine;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("caissa switches stacks on x86-64 and AArch64 only");

/// Where a task that does not run has left its registers.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct StackPointer(*mut usize);

/// What the deciding side answers to a task that has come to a point: where to go on.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Turn {
    /// The stack to go on with; null for the present one.
    pub(crate) to: StackPointer,
    /// Where to keep the present one.
    pub(crate) save: *mut StackPointer,
}

impl Turn {
    pub(crate) const STAY: Turn = Turn { to: StackPointer::NONE, save: std::ptr::null_mut() };

    pub(crate) fn is_stay(&self) -> bool {
        self.to.0.is_null()
    }
}

/// Words that a switch leaves on a stack.
#[cfg(target_arch = "x86_64")]
const SAVED: usize = 7;
#[cfg(target_arch = "aarch64")]
const SAVED: usize = 22;
/// Which of them is the address to go on at.
#[cfg(target_arch = "x86_64")]
const RESUME: usize = 6;
#[cfg(target_arch = "aarch64")]
const RESUME: usize = 12;

impl StackPointer {
    pub(crate) const NONE: StackPointer = StackPointer(std::ptr::null_mut());

    /// A fresh stack that calls `main` when it is switched to.
    ///
    /// # Safety
    /// `top` is the upper end, aligned to 16 bytes, of a stack that nothing uses, with room for a first frame.
    pub(crate) unsafe fn fresh(top: *mut u8) -> StackPointer {
        // SAFETY: the words lie within the stack.
        unsafe {
            let base = top.cast::<usize>().sub(SAVED);
            base.write_bytes(0, SAVED);
            base.add(RESUME).write(entry as *const () as usize);
            StackPointer(base)
        }
    }

    /// The same stack, but going on there throws the token that unwinds its task.
    ///
    /// # Safety
    /// The stack is one that [`switch`] or [`announce`] has left.
    pub(crate) unsafe fn throwing(self) -> StackPointer {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the registers move down by one word, below everything that the task uses; the address to go on at stays
        // where the caller's return address belongs, under that of the function which seems to be called.
        unsafe {
            let below = self.0.sub(1);
            std::ptr::copy(self.0, below, SAVED - 1);
            below.add(RESUME).write(throw_entry as *const () as usize);
            StackPointer(below)
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the word is one that the switch has written; the saved link register keeps the caller's address.
        unsafe {
            self.0.add(RESUME).write(throw_entry as *const () as usize);
            self
        }
    }
}

/// Leaves this stack in `save` and goes on with `to`.
///
/// # Safety
/// `to` is a stack that a switch has left, or a fresh one, and nothing else goes on with it.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn switch(save: *mut StackPointer, to: StackPointer) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "pop rcx",
        "jmp rcx",
        ".cfi_endproc",
    )
}

/// The running task announces an operation: decides who goes on, and switches there if it is another task.
///
/// # Safety
/// `engine` is the current one, and the caller holds no reference to it.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn announce(engine: *mut Engine, op: Op, source: Source, able: bool) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        "call {decide}",
        "test rax, rax",
        "jnz 2f",
        "pop rbp",
        ".cfi_def_cfa_offset 8",
        "ret",
        "2:",
        ".cfi_def_cfa_offset 16",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdx], rsp",
        "mov rsp, rax",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "pop rcx",
        "jmp rcx",
        ".cfi_endproc",
        decide = sym super::engine::decide,
    )
}

/// The first thing that happens on a fresh stack.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    naked_asm!(
        ".cfi_startproc",
        // There is nobody to return to: backtraces end here.
        ".cfi_undefined rip",
        "xor ebp, ebp",
        "and rsp, -16",
        "call {main}",
        "ud2",
        ".cfi_endproc",
        main = sym super::seat::main,
    )
}

/// What a task calls that is to be unwound.
extern "C-unwind" fn throw_entry() -> ! {
    super::current().expect("tasks run inside a check").throw()
}

/// Leaves the registers of this stack at `$save` and goes on with those at `$to`.
#[cfg(target_arch = "aarch64")]
macro_rules! exchange {
    ($save:literal, $to:literal) => {
        concat!(
            "sub sp, sp, #176\n",
            "stp x19, x20, [sp, #0]\n",
            "stp x21, x22, [sp, #16]\n",
            "stp x23, x24, [sp, #32]\n",
            "stp x25, x26, [sp, #48]\n",
            "stp x27, x28, [sp, #64]\n",
            "stp x29, x30, [sp, #80]\n",
            "str x30, [sp, #96]\n",
            "stp d8, d9, [sp, #112]\n",
            "stp d10, d11, [sp, #128]\n",
            "stp d12, d13, [sp, #144]\n",
            "stp d14, d15, [sp, #160]\n",
            "mov x9, sp\n",
            "str x9, [",
            $save,
            "]\n",
            "mov sp, ",
            $to,
            "\n",
            "ldp x19, x20, [sp, #0]\n",
            "ldp x21, x22, [sp, #16]\n",
            "ldp x23, x24, [sp, #32]\n",
            "ldp x25, x26, [sp, #48]\n",
            "ldp x27, x28, [sp, #64]\n",
            "ldp x29, x30, [sp, #80]\n",
            "ldr x9, [sp, #96]\n",
            "ldp d8, d9, [sp, #112]\n",
            "ldp d10, d11, [sp, #128]\n",
            "ldp d12, d13, [sp, #144]\n",
            "ldp d14, d15, [sp, #160]\n",
            "add sp, sp, #176\n",
            "br x9",
        )
    };
}

/// As on x86-64.
///
/// # Safety
/// As on x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn switch(save: *mut StackPointer, to: StackPointer) {
    naked_asm!(".cfi_startproc", exchange!("x0", "x1"), ".cfi_endproc")
}

/// As on x86-64.
///
/// # Safety
/// As on x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(crate) unsafe extern "C-unwind" fn announce(engine: *mut Engine, op: Op, source: Source, able: bool) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "bl {decide}",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "cbnz x0, 2f",
        "ret",
        "2:",
        exchange!("x1", "x0"),
        ".cfi_endproc",
        decide = sym super::engine::decide,
    )
}

/// As on x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined x30",
        "mov x29, xzr",
        "bl {main}",
        "brk #1",
        ".cfi_endproc",
        main = sym super::seat::main,
    )
}
