//! Processes: how they end, and what they may not do under control.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::{passed_on, random, stubs};
use crate::real::{Real, real};
use crate::rt::Rt;
use crate::{heap, start, sys};

type Text = *const c_char;

stubs! {
    exit/1 => exit,
    _exit/1 => exit_now,
    _Exit/1 => exit_now,
    quick_exit/1 => quick_exit,
    abort/0 => abort,
    __assert_fail/4 => assert_fail,
    __assert_perror_fail/4 => assert_perror_fail,
    __stack_chk_fail/0 => stack_smashed,
    __chk_fail/0 => overflowed,
    fork/0 => fork,
    vfork/0 => fork,
    execve/3 => execve,
    execv/2 => execv,
    execvp/2 => execvp,
    execvpe/3 => execvpe,
    system/1 => system,
    popen/2 => popen,
    raise/1 => raise,
    kill/2 => kill,
    killpg/2 => killpg,
    sigqueue/3 => sigqueue,
    pthread_kill/2 => pthread_kill,
    daemon/2 => daemon,
    inotify_init1/1 => inotify_init1,
    inotify_init/0 => inotify_init,
    signalfd/3 => signalfd,
    alarm/1 => alarm,
    setitimer/3 => setitimer,
    timer_create/3 => timer_create,
    sigwait/2 => sigwait,
    sigsuspend/1 => sigsuspend,
    sigwaitinfo/2 => sigwaitinfo,
    sigtimedwait/3 => sigtimedwait,
    pause/0 => pause,
    prctl/5 => prctl,
    pthread_sigqueue/3 => pthread_sigqueue,
    aio_read/1 => aio_read,
    aio_read64/1 => aio_read64,
    aio_write/1 => aio_write,
    aio_write64/1 => aio_write64,
    lio_listio/4 => lio_listio,
    lio_listio64/4 => lio_listio64,
    getaddrinfo_a/4 => getaddrinfo_a,
    mq_notify/2 => mq_notify,
}

/// A text of the program's.
fn text(text: Text) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the program's own.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

extern "C-unwind" fn exit(code: c_int, pc: usize) {
    if crate::rt::in_control() {
        start::exit_from(code, pc);
    }
    real!(exit(code => c_int) -> ());
}

extern "C-unwind" fn quick_exit(code: c_int, pc: usize) {
    if crate::rt::in_control() {
        start::exit_from(code, pc);
    }
    real!(quick_exit(code => c_int) -> ());
}

pub(super) extern "C-unwind" fn exit_now(code: c_int, pc: usize) {
    if let Some(rt) = Rt::enter() {
        start::end_process(&rt, code, pc);
    }
    real!(_exit(code => c_int) -> ());
}

extern "C-unwind" fn abort(pc: usize) {
    let Some(rt) = Rt::enter() else { return real!(abort() -> ()) };
    match uncaught_exception() {
        Some(name) => rt.fail("exception", format!("lets an exception escape: {name}"), pc),
        None => match rt.last_words() {
            Some(words) => rt.fail("abort", format!("aborts: {words}"), pc),
            None => rt.fail("abort", "aborts".to_owned(), pc),
        },
    }
}

/// The type of the exception that is being handled, if there is one.
fn uncaught_exception() -> Option<String> {
    static TYPE: Real = Real::new(c"__cxa_current_exception_type");
    let function = TYPE.address();
    if function == 0 {
        return None;
    }
    // SAFETY: a function of the C++ library that returns a `std::type_info`, in which the name comes second.
    unsafe {
        let function: extern "C" fn() -> *const Text = std::mem::transmute(function);
        let info = function();
        (!info.is_null()).then(|| demangled(*info.add(1)))
    }
}

fn demangled(name: Text) -> String {
    type Demangle = extern "C" fn(Text, *mut c_char, *mut usize, *mut c_int) -> Text;
    static DEMANGLE: Real = Real::new(c"__cxa_demangle");
    let function = DEMANGLE.address();
    if function == 0 {
        return text(name);
    }
    let mut status = 0;
    // SAFETY: a function of the C++ library; what it returns is never freed, as the execution is over.
    let readable = unsafe {
        let function: Demangle = std::mem::transmute(function);
        function(name, std::ptr::null_mut(), std::ptr::null_mut(), &mut status)
    };
    text(if status == 0 { readable } else { name })
}

extern "C-unwind" fn assert_fail(assertion: Text, file: Text, line: c_uint, function: Text, pc: usize) {
    let Some(rt) = Rt::enter() else {
        return real!(__assert_fail(assertion => Text, file => Text, line => c_uint, function => Text) -> ());
    };
    rt.fail("assertion", text(assertion), pc)
}

extern "C-unwind" fn assert_perror_fail(error: c_int, file: Text, line: c_uint, function: Text, pc: usize) {
    let Some(rt) = Rt::enter() else {
        return real!(__assert_perror_fail(error => c_int, file => Text, line => c_uint, function => Text) -> ());
    };
    rt.fail("assertion", format!("unexpected error {error}"), pc)
}

extern "C-unwind" fn stack_smashed(pc: usize) {
    let Some(rt) = Rt::enter() else { return real!(__stack_chk_fail() -> ()) };
    rt.fail("signal", "writes beyond an array on its stack".to_owned(), pc)
}

extern "C-unwind" fn overflowed(pc: usize) {
    let Some(rt) = Rt::enter() else { return real!(__chk_fail() -> ()) };
    rt.fail("signal", "writes beyond a buffer".to_owned(), pc)
}

extern "C-unwind" fn fork(_pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(fork() -> c_int) };
    let blocks = heap::KnownBlocks::of_now();
    let child = real!(fork() -> c_int);
    if child == 0 {
        // The copy is nobody's concern, but it does not outlive the execution.
        // SAFETY: it only says what is to become of this process.
        unsafe { sys::call(libc::SYS_prctl, libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize, 0) };
        super::semaphore::write_values(&rt);
        blocks.keep();
        start::let_go();
    } else {
        blocks.forget();
        rt.state().has_children = true;
    }
    child
}

/// Another program would take the place of this one.
fn refuse_exec(path: Text) {
    if let Some(rt) = Rt::enter() {
        let path = text(path);
        rt.misuse(format!("runs {path} in its own place, which cannot be followed"));
    }
}

type List = *const Text;

pub(super) extern "C-unwind" fn execve(path: Text, arguments: List, environment: List, _pc: usize) -> c_int {
    refuse_exec(path);
    real!(execve(path => Text, arguments => List, environment => List) -> c_int)
}

fn refuse_exec_at(path: usize) {
    refuse_exec(path as Text);
}

/// A thread or process that nobody would know of.
fn refuse_clone(_entry: usize) {
    if let Some(rt) = Rt::enter() {
        rt.misuse("starts a thread or a process by clone, which cannot be controlled".to_owned());
    }
}

// They take any number of arguments.
passed_on! { execl => refuse_exec_at, execlp => refuse_exec_at, execle => refuse_exec_at, clone => refuse_clone }

extern "C-unwind" fn execv(path: Text, arguments: List, _pc: usize) -> c_int {
    refuse_exec(path);
    real!(execv(path => Text, arguments => List) -> c_int)
}

extern "C-unwind" fn execvp(path: Text, arguments: List, _pc: usize) -> c_int {
    refuse_exec(path);
    real!(execvp(path => Text, arguments => List) -> c_int)
}

extern "C-unwind" fn execvpe(path: Text, arguments: List, environment: List, _pc: usize) -> c_int {
    refuse_exec(path);
    real!(execvpe(path => Text, arguments => List, environment => List) -> c_int)
}

/// Another process is started, which is not under control.
fn with_children() {
    if let Some(rt) = Rt::enter() {
        rt.state().has_children = true;
    }
}

type Spawned = *const c_void;

extern "C-unwind" fn posix_spawn(
    process: *mut c_int,
    path: Text,
    actions: Spawned,
    attributes: Spawned,
    arguments: List,
    environment: List,
    _pc: usize,
) -> c_int {
    with_children();
    real!(posix_spawn(process => *mut c_int, path => Text, actions => Spawned, attributes => Spawned, arguments => List, environment => List) -> c_int)
}

extern "C-unwind" fn posix_spawnp(
    process: *mut c_int,
    path: Text,
    actions: Spawned,
    attributes: Spawned,
    arguments: List,
    environment: List,
    _pc: usize,
) -> c_int {
    with_children();
    real!(posix_spawnp(process => *mut c_int, path => Text, actions => Spawned, attributes => Spawned, arguments => List, environment => List) -> c_int)
}

super::stubs_of_six! { posix_spawn => posix_spawn, posix_spawnp => posix_spawnp }

extern "C-unwind" fn system(command: Text, _pc: usize) -> c_int {
    let _rt = Rt::enter();
    real!(system(command => Text) -> c_int)
}

extern "C-unwind" fn popen(command: Text, mode: Text, _pc: usize) -> *mut c_void {
    with_children();
    real!(popen(command => Text, mode => Text) -> *mut c_void)
}

fn send_to_itself(signal: c_int) {
    // SAFETY: this thread of this process.
    unsafe {
        let thread = sys::call(libc::SYS_gettid, 0, 0, 0) as usize;
        sys::call(libc::SYS_tkill, thread, signal as usize, 0);
    }
}

/// A signal as the kernel has it in sets.
fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

impl Rt {
    /// The running task may have unblocked signals that it has sent itself before.
    pub(super) fn take_pending_signals(&self, pc: usize) {
        let pending = self.task().pending_signals;
        for signal in (1..=64).filter(|&signal| pending & bit(signal) != 0) {
            if sys::block_signals(None) & bit(signal) == 0 {
                self.task().pending_signals &= !bit(signal);
                self.raise(signal, pc);
            }
        }
    }

    /// The running task sends a signal to itself.
    fn raise(&self, signal: c_int, pc: usize) -> c_int {
        if !(0..=64).contains(&signal) {
            return super::fails(libc::EINVAL);
        }
        if signal == 0 {
            return 0;
        }
        let handler = super::handlers::handler(signal);
        if sys::block_signals(None) & bit(signal) != 0 {
            // It comes when this task does not block it any more.
            self.task().pending_signals |= bit(signal);
            return 0;
        }
        let ignored = [libc::SIGCHLD, libc::SIGURG, libc::SIGWINCH, libc::SIGCONT].contains(&signal);
        match handler {
            libc::SIG_IGN => 0,
            libc::SIG_DFL if ignored || signal == 0 => 0,
            libc::SIG_DFL => {
                self.fail("signal", format!("is ended by signal {signal}, which it sends itself"), pc)
            }
            _ => {
                // It comes at once, on this stack.
                // Until the handler is done it is blocked.
                self.tell_masks_apart();
                self.outside(|| send_to_itself(signal));
                0
            }
        }
    }
}

extern "C-unwind" fn raise(signal: c_int, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) => rt.raise(signal, pc),
        None => real!(raise(signal => c_int) -> c_int),
    }
}

pub(super) extern "C-unwind" fn kill(process: c_int, signal: c_int, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) if process.unsigned_abs() == random::PROCESS as u32 || process == 0 => rt.raise(signal, pc),
        Some(rt) if process == random::PROCESS - 1 => {
            rt.misuse(format!("sends signal {signal} to the process that started it"))
        }
        _ => real!(kill(process => c_int, signal => c_int) -> c_int),
    }
}

extern "C-unwind" fn killpg(group: c_int, signal: c_int, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) if group == random::PROCESS || group == 0 => rt.raise(signal, pc),
        _ => real!(killpg(group => c_int, signal => c_int) -> c_int),
    }
}

extern "C-unwind" fn sigqueue(process: c_int, signal: c_int, value: usize, _pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) if process == random::PROCESS => {
            rt.misuse(format!("sends signal {signal} with a value to itself, which cannot be controlled"))
        }
        _ => real!(sigqueue(process => c_int, signal => c_int, value => usize) -> c_int),
    }
}

extern "C-unwind" fn pthread_kill(thread: usize, signal: c_int, pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(pthread_kill(thread => usize, signal => c_int) -> c_int) };
    match rt.find_task(thread) {
        None => libc::ESRCH,
        Some(_) if signal == 0 => 0,
        Some(task) if task == rt.me() => rt.raise(signal, pc),
        Some(task) => {
            rt.misuse(format!("sends signal {signal} to thread {task}, which cannot be controlled"))
        }
    }
}

extern "C-unwind" fn prctl(option: c_int, a: usize, b: usize, c: usize, d: usize, _pc: usize) -> c_int {
    if option == libc::PR_SET_SECCOMP
        && let Some(rt) = Rt::enter()
    {
        rt.misuse("filters system calls (seccomp), those of the runtime too".to_owned());
    }
    real!(prctl(option => c_int, a => usize, b => usize, c => usize, d => usize) -> c_int)
}

/// Defines functions that are refused under control.
macro_rules! refused {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty: $why:literal),* $(,)?) => {
        $(
            extern "C-unwind" fn $name($($arg: $ty,)* _pc: usize) -> $ret {
                if let Some(rt) = Rt::enter() {
                    rt.misuse($why.to_owned());
                }
                real!($name($($arg => $ty),*) -> $ret)
            }
        )*
    };
}

refused! {
    alarm(seconds: c_uint) -> c_uint: "asks for a signal by alarm: signals that come at any time cannot be controlled",
    setitimer(which: c_int, new: *const c_void, old: *mut c_void) -> c_int:
        "asks for signals by setitimer: signals that come at any time cannot be controlled",
    timer_create(clock: c_int, event: *mut c_void, timer: *mut c_void) -> c_int:
        "makes a timer: signals that come at any time cannot be controlled",
    sigwait(set: *const c_void, signal: *mut c_int) -> c_int: "waits for a signal, which cannot be controlled",
    sigsuspend(set: *const c_void) -> c_int: "waits for a signal, which cannot be controlled",
    sigwaitinfo(set: *const c_void, info: *mut c_void) -> c_int: "waits for a signal, which cannot be controlled",
    sigtimedwait(set: *const c_void, info: *mut c_void, time: *const c_void) -> c_int:
        "waits for a signal, which cannot be controlled",
    pthread_sigqueue(thread: usize, signal: c_int, value: usize) -> c_int:
        "sends a signal to a thread, which cannot be controlled",
    aio_read(block: *mut c_void) -> c_int: "reads by aio, with a thread that cannot be controlled",
    aio_read64(block: *mut c_void) -> c_int: "reads by aio, with a thread that cannot be controlled",
    aio_write(block: *mut c_void) -> c_int: "writes by aio, with a thread that cannot be controlled",
    aio_write64(block: *mut c_void) -> c_int: "writes by aio, with a thread that cannot be controlled",
    lio_listio(mode: c_int, list: *const c_void, count: c_int, event: *mut c_void) -> c_int:
        "reads and writes by aio, with threads that cannot be controlled",
    lio_listio64(mode: c_int, list: *const c_void, count: c_int, event: *mut c_void) -> c_int:
        "reads and writes by aio, with threads that cannot be controlled",
    getaddrinfo_a(mode: c_int, list: *mut c_void, count: c_int, event: *mut c_void) -> c_int:
        "looks up addresses with a thread that cannot be controlled",
    mq_notify(queue: c_int, event: *const c_void) -> c_int:
        "asks to be notified of messages, which cannot be controlled",
    daemon(here: c_int, open: c_int) -> c_int: "becomes a daemon, which cannot be followed",
    inotify_init1(flags: c_int) -> c_int: "watches files, which cannot be controlled",
    inotify_init() -> c_int: "watches files, which cannot be controlled",
    signalfd(fd: c_int, set: *const c_void, flags: c_int) -> c_int: "reads signals from a file, which cannot be controlled",
    pause() -> c_int: "waits for a signal, which cannot be controlled",
}
