//! Signals: crashes of the program, system calls that a filter has caught, and being told that it hangs.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use caissa_core::Source;
use caissa_wire::{Halt, Hang, Misuse};

use crate::rt::{self, Rt};
use crate::{start, sys};

/// By this the host tells a process that it does not get on.
pub(crate) const HANG: c_int = libc::SIGXCPU;

const ALTERNATE_STACK: usize = 256 << 10;
/// A fault so far around the end of a stack is an overflow.
const AROUND: usize = 64 << 10;

/// What the kernel says of a signal that a filter of system calls has raised.
const BY_FILTER: c_int = 1;

/// Handles what the program does not.
pub(crate) fn install() {
    // Shared, so that it is none of what is put back.
    let stack = sys::map(ALTERNATE_STACK, true);
    // SAFETY: the stack is new and stays; the handler fits the flags.
    unsafe {
        let stack = libc::stack_t { ss_sp: stack.cast(), ss_flags: 0, ss_size: ALTERNATE_STACK };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        for signal in
            [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSYS, libc::SIGTRAP, HANG]
        {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Where the program was when a signal came.
pub(crate) fn interrupted_at(context: *const c_void) -> usize {
    // SAFETY: the kernel's own.
    unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize }
}

/// The registers that a call preserves, as [`crate::spin::REGISTERS`] has them, when a signal came.
pub(crate) fn registers_at(context: *const c_void) -> [usize; 7] {
    let names = [
        libc::REG_RBX,
        libc::REG_RBP,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
        libc::REG_RSP,
    ];
    // SAFETY: the kernel's own.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    names.map(|name| registers[name as usize] as usize)
}

/// What becomes of a signal that the program does not handle.
pub(crate) extern "C-unwind" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    if signal == HANG && rt::is_installed() && !crate::modes::is_executing() {
        // The server has been slow.
        return;
    }
    rt::set_control(false);
    if !start::has_begun() {
        // Not under control, or not yet: what would have happened without us.
        // SAFETY: the default action is a constant.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    let rt = Rt::of_server();
    if rt.state().tasks.is_empty() {
        sys::say("caissa: the runtime has crashed\n");
        sys::exit(70);
    }
    // What is shown is the instruction itself, and callers look before the address they are given.
    let pc = interrupted_at(context) + 1;
    // SAFETY: the kernel's own.
    let address = unsafe { (*info).si_addr() } as usize;
    match signal {
        // SAFETY: as above.
        libc::SIGSYS if unsafe { (*info).si_code } == BY_FILTER => caught(&rt, info),
        HANG => hangs(&rt, pc),
        _ => rt.fail("signal", words(&rt, signal, address), pc),
    }
}

fn words(rt: &Rt, signal: c_int, address: usize) -> String {
    let overflows = |stack: &std::ops::Range<usize>| {
        stack.start != 0 && (stack.start - AROUND..stack.start + AROUND).contains(&address)
    };
    match signal {
        libc::SIGSEGV if overflows(&rt.task().stack) => "overflows its stack".to_owned(),
        libc::SIGSEGV if address < 4096 => format!("crashes: it uses a null pointer (address {address:#x})"),
        libc::SIGSEGV => format!("crashes: segmentation fault at address {address:#x}"),
        libc::SIGBUS => format!("crashes: bus error at address {address:#x}"),
        libc::SIGFPE => "crashes: division by zero, or another error of arithmetic".to_owned(),
        libc::SIGILL => "crashes: illegal instruction".to_owned(),
        libc::SIGTRAP => "crashes: trap".to_owned(),
        _ => format!("is ended by signal {signal}"),
    }
}

/// A system call that changes what the kernel knows.
fn caught(rt: &Rt, info: *mut libc::siginfo_t) -> ! {
    // SAFETY: for this signal the kernel leaves the number of the system call behind the address of the instruction.
    let number = unsafe { info.cast::<u8>().add(24).cast::<i32>().read() };
    rt.halt(Halt::Leave(name(number as i64)))
}

/// The host says that the program does not get on.
fn hangs(rt: &Rt, pc: usize) -> ! {
    match Hang::of(rt.state().journal.hang.load(Ordering::Relaxed)) {
        Hang::Waits => {
            let what = "waits for something outside our control".to_owned();
            let state = rt.state();
            let Some(task) = state.waits_outside else { rt.misuse(what) };
            let stack = match state.execution.pending(task).1 {
                Some(Source::Code(code)) => vec![code.address],
                _ => Vec::new(),
            };
            rt.halt(Halt::Misused(Misuse { what, task, stack }))
        }
        Hang::No | Hang::Runs => {
            let message = "runs on without a scheduling point, for longer than --hang allows";
            rt.fail("good-samaritan", message.to_owned(), pc)
        }
    }
}

/// What a system call does, or what it is called, of those that programs make.
fn name(number: i64) -> String {
    let name = match number {
        libc::SYS_open | libc::SYS_openat | libc::SYS_creat => "it opens a file",
        libc::SYS_read | libc::SYS_readv | libc::SYS_pread64 => "it reads from a file",
        libc::SYS_write | libc::SYS_writev | libc::SYS_pwrite64 => "it writes to a file",
        libc::SYS_close => "it closes a file",
        libc::SYS_mmap | libc::SYS_munmap | libc::SYS_mremap | libc::SYS_brk | libc::SYS_mprotect => {
            "it maps memory"
        }
        libc::SYS_pipe | libc::SYS_pipe2 => "it makes a pipe",
        libc::SYS_socket | libc::SYS_socketpair | libc::SYS_connect | libc::SYS_bind => "it uses sockets",
        libc::SYS_eventfd2 | libc::SYS_epoll_create1 | libc::SYS_timerfd_create => {
            "it makes a file descriptor"
        }
        libc::SYS_fork | libc::SYS_vfork | libc::SYS_clone | libc::SYS_clone3 => "it starts a process",
        libc::SYS_execve => "it runs another program",
        libc::SYS_rt_sigaction | libc::SYS_rt_sigprocmask | libc::SYS_sigaltstack => "it handles signals",
        libc::SYS_kill | libc::SYS_tgkill | libc::SYS_tkill => "it sends a signal",
        libc::SYS_fcntl | libc::SYS_dup | libc::SYS_dup2 | libc::SYS_dup3 => "it changes file descriptors",
        libc::SYS_futex => "it waits by a system call of its own",
        _ => {
            return match called(number) {
                Some(name) => format!("it makes the system call {name}"),
                None => format!("it makes system call {number}"),
            };
        }
    };
    name.to_owned()
}

/// The names of some system calls.
macro_rules! names_of {
    ($number:ident: $($name:ident)*) => {
        match $number {
            $(libc::$name => stringify!($name).strip_prefix("SYS_"),)*
            _ => None,
        }
    };
}

fn called(number: i64) -> Option<&'static str> {
    names_of! {
        number: SYS_poll SYS_ppoll SYS_select SYS_pselect6 SYS_epoll_ctl SYS_epoll_wait SYS_epoll_pwait SYS_listen
            SYS_accept SYS_accept4 SYS_sendto SYS_recvfrom SYS_sendmsg SYS_recvmsg SYS_shutdown SYS_setsockopt
            SYS_getsockopt SYS_getsockname SYS_getpeername SYS_mkdir SYS_mkdirat SYS_rmdir SYS_rename SYS_renameat
            SYS_renameat2 SYS_unlink SYS_unlinkat SYS_link SYS_linkat SYS_symlink SYS_symlinkat SYS_chmod SYS_fchmod
            SYS_fchmodat SYS_chown SYS_fchown SYS_fchownat SYS_utimensat SYS_chdir SYS_fchdir SYS_umask
            SYS_getdents64 SYS_lseek SYS_ioctl SYS_truncate SYS_ftruncate SYS_fallocate SYS_fsync SYS_fdatasync
            SYS_flock SYS_sendfile SYS_splice SYS_copy_file_range SYS_memfd_create SYS_timerfd_settime
            SYS_inotify_init1 SYS_inotify_add_watch SYS_madvise SYS_msync SYS_mlock SYS_munlock SYS_nanosleep
            SYS_clock_nanosleep SYS_wait4 SYS_waitid SYS_prctl SYS_prlimit64 SYS_setrlimit SYS_setpriority
            SYS_getpriority SYS_sched_setaffinity SYS_setsid SYS_setpgid SYS_setuid SYS_setgid SYS_exit
    }
}
