//! The functions that the program calls instead of those it means to call.
//!
//! Each is a stub that passes on, behind its own arguments, where it was called from, and jumps to a function that does the work.

mod accesses;
mod annotations;
mod any_size;
mod atomics;
mod barrier;
mod by_number;
pub(crate) mod c11;
pub(crate) mod cancel;
mod condvar;
mod copying;
mod cxx;
mod destroyed;
mod futex;
pub(crate) mod handlers;
mod io;
pub(crate) mod keys;
mod malloc;
mod mutex;
mod once;
pub(crate) mod panics;
mod polling;
mod process;
mod random;
mod rwlock;
mod semaphore;
mod streams;
mod threads;
mod time;
mod timers;

/// Defines exported stubs: `name/N => function` for one with N arguments in registers for integers, which calls `function` with them and its caller.
macro_rules! stubs {
    ($($name:ident / $count:tt => $function:path),* $(,)?) => {
        $(
            const _: () = {
                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn stub() {
                    std::arch::naked_asm!(
                        stubs!(@register $count),
                        "jmp {}",
                        sym $function,
                    )
                }
            };
        )*
    };
    (@register 0) => { "mov rdi, [rsp]" };
    (@register 1) => { "mov rsi, [rsp]" };
    (@register 2) => { "mov rdx, [rsp]" };
    (@register 3) => { "mov rcx, [rsp]" };
    (@register 4) => { "mov r8, [rsp]" };
    (@register 5) => { "mov r9, [rsp]" };
}
pub(crate) use stubs;

/// As [`stubs`], for functions at which loops can wait: the registers of the program are noted first, and what the function leaves on the stack is kept away from
/// where the program's next frames will be compared ([`crate::spin`]).
macro_rules! watched_stubs {
    ($($name:ident / $count:tt => $function:path),* $(,)?) => {
        $(
            const _: () = {
                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn stub() {
                    std::arch::naked_asm!(
                        ".cfi_startproc",
                        "mov [rip + {registers}], rbx",
                        "mov [rip + {registers} + 8], rbp",
                        "mov [rip + {registers} + 16], r12",
                        "mov [rip + {registers} + 24], r13",
                        "mov [rip + {registers} + 32], r14",
                        "mov [rip + {registers} + 40], r15",
                        "mov [rip + {registers} + 48], rsp",
                        $crate::hooks::stubs!(@register $count),
                        "sub rsp, {gap}",
                        ".cfi_adjust_cfa_offset {gap}",
                        "call {function}",
                        "add rsp, {gap}",
                        ".cfi_adjust_cfa_offset -{gap}",
                        "ret",
                        ".cfi_endproc",
                        registers = sym $crate::spin::REGISTERS,
                        gap = const $crate::spin::GAP,
                        function = sym $function,
                    )
                }
            };
        )*
    };
}
pub(crate) use watched_stubs;

/// As [`stubs`], for functions with six arguments: where they were called from goes on the stack.
macro_rules! stubs_of_six {
    ($($name:ident => $function:path),* $(,)?) => {
        $(
            const _: () = {
                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn stub() {
                    // Whoever looks at the stack, or unwinds it, must find the way through.
                    std::arch::naked_asm!(
                        ".cfi_startproc",
                        "push qword ptr [rsp]",
                        ".cfi_adjust_cfa_offset 8",
                        "call {}",
                        "add rsp, 8",
                        ".cfi_adjust_cfa_offset -8",
                        "ret",
                        ".cfi_endproc",
                        sym $function,
                    )
                }
            };
        )*
    };
}
pub(crate) use stubs_of_six;

/// The body of a stub with seven arguments, of which the last one lies on the stack already: it is passed on before where the stub was called from.
macro_rules! stub_of_seven {
    ($function:path) => {
        std::arch::naked_asm!(
            ".cfi_startproc",
            "mov rax, [rsp]",
            "sub rsp, 8",
            ".cfi_adjust_cfa_offset 8",
            "push rax",
            ".cfi_adjust_cfa_offset 8",
            "push qword ptr [rsp + 24]",
            ".cfi_adjust_cfa_offset 8",
            "call {}",
            "add rsp, 24",
            ".cfi_adjust_cfa_offset -24",
            "ret",
            ".cfi_endproc",
            sym $function,
        )
    };
}
pub(crate) use stub_of_seven;

/// A new execution begins: whatever hooks remember is forgotten.
pub(crate) fn reset() {
    keys::reset();
    random::reset();
    handlers::reset();
    crate::start::reset();
}

/// Sets `errno` and fails.
pub(crate) fn fails(error: i32) -> i32 {
    // SAFETY: the running thread's own.
    unsafe { *libc::__errno_location() = error };
    -1
}
