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
mod kernel;
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
                        ".cfi_startproc",
                        $crate::hooks::stubs!(@register $count),
                        $crate::aside::leave!(),
                        "call {function}",
                        $crate::aside::come_back!(),
                        ".cfi_endproc",
                        place = sym $crate::aside::PLACE,
                        deepest = const $crate::aside::DEEPEST,
                        function = sym $function,
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

/// As [`stubs`], for functions at which loops can wait: the registers of the program are noted first ([`crate::spin`]).
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
                        $crate::aside::leave!(),
                        "call {function}",
                        $crate::aside::come_back!(),
                        ".cfi_endproc",
                        registers = sym $crate::spin::REGISTERS,
                        place = sym $crate::aside::PLACE,
                        deepest = const $crate::aside::DEEPEST,
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
                    std::arch::naked_asm!(
                        ".cfi_startproc",
                        $crate::aside::leave!(),
                        // Calls are aligned.
                        "sub rsp, 8",
                        "push qword ptr [rbp + 8]",
                        "call {function}",
                        $crate::aside::come_back!(),
                        ".cfi_endproc",
                        place = sym $crate::aside::PLACE,
                        deepest = const $crate::aside::DEEPEST,
                        function = sym $function,
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
            $crate::aside::leave!(),
            "push qword ptr [rbp + 8]",
            "push qword ptr [rbp + 16]",
            "call {function}",
            $crate::aside::come_back!(),
            ".cfi_endproc",
            place = sym $crate::aside::PLACE,
            deepest = const $crate::aside::DEEPEST,
            function = sym $function,
        )
    };
}
pub(crate) use stub_of_seven;

/// Defines functions that are passed on as they are, whatever their arguments, once another function was called with the first argument; that says where to.
macro_rules! passed_on {
    ($($name:ident => $function:path),* $(,)?) => {
        $(
            const _: () = {
                extern "C-unwind" fn address(first: usize) -> usize {
                    static REAL: $crate::real::Real = $crate::real::Real::new(
                        match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                            Ok(name) => name,
                            Err(_) => panic!("a name with a zero"),
                        },
                    );
                    $function(first);
                    REAL.address()
                }

                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn stub() {
                    std::arch::naked_asm!(
                        ".cfi_startproc",
                        $crate::aside::leave!(),
                        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax", "push rax",
                        "call {address}",
                        "mov r11, rax",
                        "pop rax", "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
                        "mov rsp, rbp",
                        "pop rbp",
                        ".cfi_def_cfa rsp, 8",
                        "jmp r11",
                        ".cfi_endproc",
                        place = sym $crate::aside::PLACE,
                        deepest = const $crate::aside::DEEPEST,
                        address = sym address,
                    )
                }
            };
        )*
    };
}
pub(crate) use passed_on;

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
