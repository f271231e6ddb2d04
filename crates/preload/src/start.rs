//! How a program comes under control, and how it ends.
//!
//! `__libc_start_main` is what calls the constructors of the executable and then its `main`. Executions begin before that, so that whatever
//! constructors do, threads that they start included, is part of each execution.
//!
//! A harness runs by itself until it starts the thread of a test, and executions begin there: what it has done until then is the same for all of them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use caissa_core::{Ending, OpKind};
use caissa_wire::{Hello, Journal, Reply, Request, VARIABLE, VERSION};

use crate::real::real;
use crate::rt::{self, Rt, State};
use crate::{files, heap, modes, modules, pauses, serve, signals, switch, sys};

type Main = extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// The program's own `main`.
static MAIN: AtomicUsize = AtomicUsize::new(0);

const UNKNOWN: u8 = 0;
const MANAGED: u8 = 1;
const FREE: u8 = 2;
static MANAGEMENT: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether the process is run by the host.
#[inline]
pub(crate) fn is_managed() -> bool {
    match MANAGEMENT.load(Ordering::Relaxed) {
        UNKNOWN => find_out(),
        known => known == MANAGED,
    }
}

#[cold]
fn find_out() -> bool {
    let managed = variable().is_some();
    MANAGEMENT.store(if managed { MANAGED } else { FREE }, Ordering::Relaxed);
    managed
}

/// What the host says in the environment.
fn variable() -> Option<&'static CStr> {
    let mut name = [0u8; 32];
    name[..VARIABLE.len()].copy_from_slice(VARIABLE.as_bytes());
    // SAFETY: the name ends with a zero; the value lives as long as the environment.
    unsafe {
        let value = libc::getenv(name.as_ptr().cast());
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}

/// A process that the program has started is none of ours.
pub(crate) fn let_go() {
    LET_GO.store(true, Ordering::Relaxed);
    rt::let_go();
}

static LET_GO: AtomicBool = AtomicBool::new(false);

/// Whether this process is none of ours.
pub(crate) fn is_let_go() -> bool {
    LET_GO.load(Ordering::Relaxed)
}

/// # Safety
/// Called by the program's entry point.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __libc_start_main(
    main: Main,
    argc: c_int,
    argv: *mut *mut c_char,
    init: usize,
    fini: usize,
    linker_fini: usize,
    stack_end: *mut c_void,
) -> c_int {
    MAIN.store(main as *const () as usize, Ordering::Relaxed);
    let mut entry = main;
    if is_managed() {
        take_control();
        // Each execution begins here, unless it begins with a thread.
        entry = run_main;
        // SAFETY: handlers that are registered first are called last.
        unsafe {
            on_exit(at_exit, std::ptr::null_mut());
            __cxa_at_quick_exit(at_quick_exit, std::ptr::null_mut());
        }
        rt::set_control(!is_waiting());
    }
    real!(__libc_start_main(
        entry => Main,
        argc => c_int,
        argv => *mut *mut c_char,
        init => usize,
        fini => usize,
        linker_fini => usize,
        stack_end => *mut c_void,
    ) -> c_int)
}

extern "C-unwind" fn run_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: it was stored by `__libc_start_main`.
    let main: Main = unsafe { std::mem::transmute(MAIN.load(Ordering::Relaxed)) };
    let code = main(argc, argv, envp);
    exit_from(code, main as *const () as usize + 1);
    code
}

/// Connects to the host and becomes a server. Comes back at the beginning of each execution.
fn take_control() {
    let Some((stream, journal)) = descriptors() else {
        sys::say("caissa: the environment of this program was tampered with\n");
        sys::exit(70);
    };
    serve::connect(stream);
    let journal = map_journal(journal);
    heap::share();
    switch::prepare();
    signals::install();
    files::begin();
    pin_random();
    serve::send(&Reply::Hello(Hello { version: VERSION, modules: modules::all() }));
    let Request::Setup(setup) = serve::receive() else { sys::exit(70) };
    let harness = setup.harness;
    rt::install(Box::new(State::new(setup, journal)));
    pauses::install(Rt::of_server().state());
    if harness {
        WAITING.store(true, Ordering::Relaxed);
    } else {
        serve();
    }
}

/// Becomes a server. Comes back once for each execution, so that nothing may be left to be dropped.
fn serve() {
    modes::prepare(&Rt::of_server().state().setup, serve::serve);
}

static WAITING: AtomicBool = AtomicBool::new(false);

/// Whether the program runs by itself until it starts a thread.
pub(crate) fn is_waiting() -> bool {
    WAITING.load(Ordering::Relaxed)
}

/// Whether executions have begun, or may begin at any moment.
pub(crate) fn has_begun() -> bool {
    rt::is_installed() && !is_waiting()
}

/// The program is about to start a thread. If that is what was waited for, executions begin here.
pub(crate) fn thread_begins() {
    if WAITING.swap(false, Ordering::Relaxed) {
        serve();
        rt::set_control(true);
    }
}

/// The random bytes that the kernel gives every process are the same every time.
fn pin_random() {
    // SAFETY: sixteen bytes of this process, which whoever needs them to be random has used by now.
    unsafe {
        let bytes = libc::getauxval(libc::AT_RANDOM) as *mut [u8; 16];
        if !bytes.is_null() {
            *bytes = *b"caissa is fair..";
        }
    }
}

fn descriptors() -> Option<(i32, i32)> {
    let (stream, journal) = variable()?.to_str().ok()?.split_once(',')?;
    let both = (stream.parse().ok()?, journal.parse().ok()?);
    // SAFETY: no other thread is there to look at the environment.
    unsafe {
        std::env::remove_var(VARIABLE);
        std::env::remove_var("LD_BIND_NOW");
        // The host has put the place of the runtime in front of what was there.
        const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";
        match std::env::var(LIBRARY_PATH).unwrap_or_default().split_once(':') {
            Some((_, before)) => std::env::set_var(LIBRARY_PATH, before),
            None => std::env::remove_var(LIBRARY_PATH),
        }
    }
    Some(both)
}

fn map_journal(fd: i32) -> &'static Journal {
    // SAFETY: the host has given a descriptor for this; the mapping stays.
    unsafe {
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
        let shared = libc::MAP_SHARED as usize;
        let address = sys::raw(libc::SYS_mmap, 0, 4096, protection, shared, fd as usize, 0);
        if address < 0 {
            sys::say("caissa: the journal cannot be mapped\n");
            sys::exit(70);
        }
        sys::call(libc::SYS_close, fd as usize, 0, 0);
        &*(address as *const Journal)
    }
}

/// Where the program's `main` begins.
pub(crate) fn main_place() -> usize {
    MAIN.load(Ordering::Relaxed) + 1
}

/// The program has called `exit` or `quick_exit` from there: what has to be done then is done under control.
pub(crate) fn exit_from(code: c_int, pc: usize) {
    EXIT.0.store(code as usize, Ordering::Relaxed);
    EXIT.1.store(pc, Ordering::Relaxed);
    EXITS.store(true, Ordering::Relaxed);
}

/// With which code, and from where, the program has called one of them.
static EXIT: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));
static EXITS: AtomicBool = AtomicBool::new(false);

/// Whether the program has begun to exit: what it has left to be done then is run.
#[inline]
pub(crate) fn exits() -> bool {
    EXITS.load(Ordering::Relaxed)
}

/// A new execution begins.
pub(crate) fn reset() {
    exit_from(0, main_place());
    EXITS.store(false, Ordering::Relaxed);
}

unsafe extern "C" {
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn __cxa_at_quick_exit(handler: extern "C" fn(*mut c_void), library: *mut c_void) -> c_int;
}

/// Everything else that has to be done at exit has been done. libc may have called for it by itself, so it says with which code.
extern "C" fn at_exit(code: c_int, _argument: *mut c_void) {
    if is_waiting() {
        let why = format!("it ends with exit code {code} before it starts a thread");
        serve::send(&Reply::Refused(why));
        sys::exit(0);
    }
    if let Some(rt) = Rt::enter() {
        end_process(&rt, code, EXIT.1.load(Ordering::Relaxed));
    }
}

/// The same of a quick exit.
extern "C" fn at_quick_exit(_argument: *mut c_void) {
    if let Some(rt) = Rt::enter() {
        end_process(&rt, EXIT.0.load(Ordering::Relaxed) as c_int, EXIT.1.load(Ordering::Relaxed));
    }
}

/// The process ends here.
pub(crate) fn end_process(rt: &Rt, code: c_int, pc: usize) -> ! {
    // SAFETY: all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    let op = rt.own_op(OpKind::Exit);
    rt.point(op, pc);
    if rt.judge_panics(code) {
        rt.end(Ending::Panicked);
    }
    if code != 0 && rt.state().execution.is_in_reserve() {
        let message =
            "says that the test has failed, without a panic: it was to panic, or has returned an error";
        rt.fail("exit", message.to_owned(), pc);
    }
    if rt.state().setup.harness && !rt.state().execution.is_in_reserve() {
        // `cargo test` would leave out all tests that come after it, and say nothing of it.
        let message =
            format!("ends the program with exit code {code}, before it is known what came of the test");
        rt.fail("exit", message, pc);
    }
    if code != 0 && rt.state().setup.exit_fails {
        rt.fail("exit", format!("ends the program with exit code {code}"), pc);
    }
    rt.end(Ending::Complete)
}
