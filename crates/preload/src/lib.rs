//! The runtime of native programs: a library that stands in libtsan's place.
//!
//! The compiler calls it before every access of memory (`hooks::accesses`, `hooks::atomics`), and the program calls it instead of libc for
//! whatever can make a thread wait (the other `hooks`). Where the program runs under control, each of these comes to `rt`, which asks the
//! core which task goes on; else they do what they would do without us, so that a program built with this library runs as ever.
//!
//! A program under control is a *server* (`serve`): at the beginning of its `main` it stops, takes jobs from the host and runs their executions,
//! each from that moment on: in a copy of the process (`modes::fork`), in the process itself with its memory put back afterwards
//! (`modes::in_process`), or with threads of the system in a process of its own (`modes::os`). In the first two the program's threads are
//! coroutines that run one at a time below the frames of parked threads (`zygotes`), so that thread-local storage is genuine.
//!
//! What runs here may be called anywhere in the program: nothing in it allocates from the program's heap, takes a lock, or panics on purpose. Its
//! own memory (`arena`) is shared by the server and its copies, so that what an execution leaves there is there after it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod arena;
mod aside;
mod code;
mod failing;
mod files;
mod heap;
mod hooks;
mod memory;
mod modes;
mod modules;
mod object;
mod pauses;
mod real;
mod rt;
mod serve;
mod shadow;
mod signals;
mod spin;
mod start;
mod switch;
mod sys;
mod task;
mod timers;
mod unwind;
mod wait;
mod zygotes;

#[global_allocator]
static ARENA: arena::Arena = arena::Arena;
