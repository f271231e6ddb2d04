//! System calls that the program makes by number, with `syscall`.
//!
//! Those that have a function of their own mean what that does. Others are made as the program asks, by libc's instruction and not by ours, so that a
//! filter of system calls sees them as the program's; those that start or end threads, or wait where nobody can see it, are refused.

use std::ffi::c_int;

use super::futex::futex;
use super::{io, polling, process, random, stub_of_seven, time, timers};
use crate::real::real;
use crate::rt::Rt;

/// # Safety
/// As the system call.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn syscall() {
    stub_of_seven!(by_number)
}

#[allow(clippy::too_many_arguments)]
extern "C-unwind" fn by_number(
    number: i64,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    pc: usize,
) -> i64 {
    if let Some(rt) = Rt::enter() {
        if number == libc::SYS_futex {
            return futex(&rt, [a, b, c, d, e, f], pc) as i64;
        }
        if let Some(why) = refusal(number) {
            rt.misuse(format!(
                "{why} by the number of the system call ({number}), which cannot be controlled"
            ));
        }
        drop(rt);
        if let Some(result) = by_name(number, [a, b, c, d, e, f], pc) {
            return result;
        }
        if let Some(rt) = Rt::enter() {
            rt.gets_on();
        }
    }
    real!(syscall(
        number => i64,
        a => usize,
        b => usize,
        c => usize,
        d => usize,
        e => usize,
        f => usize,
    ) -> i64)
}

/// What the function of its own does, for a system call that has one which is under control.
fn by_name(number: i64, [a, b, c, d, e, f]: [usize; 6], pc: usize) -> Option<i64> {
    let int = |value: usize| value as c_int;
    let short = |value: c_int| value as i64;
    let result = match number {
        libc::SYS_sched_yield => short(time::yields(pc)),
        libc::SYS_nanosleep => short(time::nanosleep(a as _, b as _, pc)),
        libc::SYS_clock_nanosleep => {
            // The function returns the error, the system call sets it.
            match time::clock_nanosleep(int(a), int(b), c as _, d as _, pc) {
                0 => 0,
                error => short(super::fails(error)),
            }
        }
        libc::SYS_clock_gettime => short(time::clock_gettime(int(a), b as _, pc)),
        libc::SYS_gettimeofday => short(time::gettimeofday(a as _, b as _, pc)),
        libc::SYS_time => time::time(a as _, pc),
        libc::SYS_getrandom => random::getrandom(a as _, b, c as u32, pc) as i64,
        libc::SYS_getpid => short(random::getpid(pc)),
        libc::SYS_getppid => short(random::getppid(pc)),
        libc::SYS_gettid => short(random::gettid(pc)),
        libc::SYS_kill => short(process::kill(int(a), int(b), pc)),
        libc::SYS_exit_group => {
            process::exit_now(int(a), pc);
            0
        }
        libc::SYS_execve => short(process::execve(a as _, b as _, c as _, pc)),
        libc::SYS_read => io::read(int(a), b as _, c, pc) as i64,
        libc::SYS_write => io::write(int(a), b as _, c, pc) as i64,
        libc::SYS_readv => io::readv(int(a), b as _, int(c), pc) as i64,
        libc::SYS_writev => io::writev(int(a), b as _, int(c), pc) as i64,
        libc::SYS_recvfrom => io::recvfrom(int(a), b as _, c, int(d), e as _, f as _, pc) as i64,
        libc::SYS_sendto => io::sendto(int(a), b as _, c, int(d), e as _, f as u32, pc) as i64,
        libc::SYS_recvmsg => io::recvmsg(int(a), b as _, int(c), pc) as i64,
        libc::SYS_sendmsg => io::sendmsg(int(a), b as _, int(c), pc) as i64,
        libc::SYS_accept => short(io::accept(int(a), b as _, c as _, pc)),
        libc::SYS_accept4 => short(io::accept4(int(a), b as _, c as _, int(d), pc)),
        libc::SYS_poll => short(polling::poll(a as _, b as _, int(c), pc)),
        libc::SYS_ppoll => short(polling::ppoll(a as _, b as _, c as _, d as _, pc)),
        libc::SYS_select => short(polling::select(int(a), b as _, c as _, d as _, e as _, pc)),
        libc::SYS_epoll_wait => short(polling::epoll_wait(int(a), b as _, int(c), int(d), pc)),
        libc::SYS_timerfd_create => short(timers::create(int(a), int(b), pc)),
        libc::SYS_timerfd_settime => short(timers::set(int(a), int(b), c as _, d as _, pc)),
        libc::SYS_timerfd_gettime => short(timers::get(int(a), b as _, pc)),
        libc::SYS_close => short(io::close(int(a), pc)),
        libc::SYS_shutdown => short(io::shutdown(int(a), int(b), pc)),
        libc::SYS_pipe => short(io::pipe(a as _, pc)),
        libc::SYS_pipe2 => short(io::pipe2(a as _, int(b), pc)),
        libc::SYS_socketpair => short(io::socketpair(int(a), int(b), int(c), d as _, pc)),
        libc::SYS_munmap => short(io::unmap(a, b, pc)),
        _ => return None,
    };
    Some(result)
}

/// Why a system call is refused.
fn refusal(number: i64) -> Option<&'static str> {
    Some(match number {
        libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => {
            "starts a thread or a process"
        }
        libc::SYS_exit => "ends a thread",
        libc::SYS_tgkill | libc::SYS_tkill | libc::SYS_rt_sigqueueinfo | libc::SYS_rt_tgsigqueueinfo => {
            "sends a signal"
        }
        libc::SYS_rt_sigprocmask | libc::SYS_rt_sigaction => "changes how signals are handled",
        libc::SYS_pause | libc::SYS_rt_sigsuspend | libc::SYS_rt_sigtimedwait => "waits for a signal",
        libc::SYS_alarm | libc::SYS_setitimer | libc::SYS_timer_create => "makes a timer",
        libc::SYS_seccomp => "filters system calls",
        libc::SYS_futex_waitv | FUTEX_WAKE | FUTEX_WAIT | FUTEX_REQUEUE => "uses a futex",
        libc::SYS_io_uring_setup
        | libc::SYS_io_uring_enter
        | libc::SYS_io_submit
        | libc::SYS_io_getevents => "lets the kernel read and write beside it",
        _ => return None,
    })
}

/// Newer forms of the same call.
const FUTEX_WAKE: i64 = 454;
const FUTEX_WAIT: i64 = 455;
const FUTEX_REQUEUE: i64 = 456;
