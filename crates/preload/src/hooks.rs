//! The functions that the program calls instead of those it means to call.
//!
//! Each is a stub that passes on, behind its own arguments, where it was called from, and jumps to a function that does the work.

mod accesses;
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
mod io;
pub(crate) mod keys;
mod malloc;
mod mutex;
mod once;
mod process;
mod random;
mod rwlock;
mod semaphore;
mod threads;
mod time;

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

/// As [`stubs`], for functions with six arguments: where they were called from goes on the stack.
macro_rules! stubs_of_six {
    ($($name:ident => $function:path),* $(,)?) => {
        $(
            const _: () = {
                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn stub() {
                    std::arch::naked_asm!("push qword ptr [rsp]", "call {}", "add rsp, 8", "ret", sym $function)
                }
            };
        )*
    };
}
pub(crate) use stubs_of_six;

/// A new execution begins: whatever hooks remember is forgotten.
pub(crate) fn reset() {
    keys::reset();
    random::reset();
}

/// Sets `errno` and fails.
pub(crate) fn fails(error: i32) -> i32 {
    // SAFETY: the running thread's own.
    unsafe { *libc::__errno_location() = error };
    -1
}
