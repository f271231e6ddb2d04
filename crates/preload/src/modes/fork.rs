//! Executions in copies of the process: the reference.

use std::sync::atomic::Ordering;

use caissa_core::Ending;
use caissa_wire::{Halt, Hang, Misuse, Mode};

use crate::real::real;
use crate::rt::Rt;
use crate::switch::{Context, switch};
use crate::sys;

/// Runs an execution in a copy of this process. What it leaves in the arena is seen here.
pub(super) fn execute(rt: &Rt, mode: Mode, main: Context) {
    let child = match mode {
        // Threads will be started in the copy, so that libc has to know.
        Mode::Os => real!(fork() -> i32) as isize,
        // SAFETY: the copy goes on with one thread, whose memory is as it was.
        _ => unsafe { sys::call(libc::SYS_clone, libc::SIGCHLD as usize, 0, 0) },
    };
    if child == 0 {
        // SAFETY: whatever becomes of the server, the copy goes with it. The main task begins in its context.
        unsafe {
            sys::call(libc::SYS_prctl, libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize, 0);
            let process = sys::call(libc::SYS_getpid, 0, 0, 0) as u32;
            rt.state().journal.process.store(process, Ordering::Relaxed);
            super::EXECUTING.store(true, Ordering::Relaxed);
            let mut nowhere = 0;
            switch(&mut nowhere, main);
        }
        unreachable!("the execution ends the process");
    }
    if child < 0 {
        halt(rt, format!("cannot be run: the process cannot be copied (error {})", -child));
        return;
    }
    let mut status = 0i32;
    loop {
        let pointer = (&raw mut status) as usize;
        // SAFETY: the status is ours.
        let waited = unsafe { sys::raw(libc::SYS_wait4, child as usize, pointer, 0, 0, 0, 0) };
        if waited != -libc::EINTR as isize {
            break;
        }
    }
    rt.state().journal.process.store(0, Ordering::Relaxed);
    end_others();
    if rt.state().execution.ending().is_none() {
        died(rt, status);
    }
}

/// Processes that the execution has started and left behind come to be this one's children (`prctl`): they end.
fn end_others() {
    loop {
        // SAFETY: nobody wants to know how they have ended.
        let waited = unsafe { sys::raw(libc::SYS_wait4, usize::MAX, 0, libc::WNOHANG as usize, 0, 0, 0) };
        match waited {
            1.. => {}
            // There are some, and they run on.
            0 if kill_children() => {}
            _ => return,
        }
    }
}

/// Ends all children of this process. False if none are found.
fn kill_children() -> bool {
    let children = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let mut any = false;
    for child in children.split_whitespace().filter_map(|child| child.parse::<usize>().ok()) {
        any = true;
        // SAFETY: a child of ours, which has not been waited for.
        unsafe { sys::call(libc::SYS_kill, child, libc::SIGKILL as usize, 0) };
    }
    if any {
        // SAFETY: one of them has just been ended.
        unsafe { sys::raw(libc::SYS_wait4, usize::MAX, 0, 0, 0, 0, 0) };
    }
    any
}

/// The program cannot go on.
fn halt(rt: &Rt, what: String) {
    let misuse = Misuse { what, task: rt.me(), stack: Vec::new() };
    rt.state().halt.get_or_insert(Halt::Misused(misuse));
    rt.state().execution.end(Ending::Misused);
}

/// The copy has died without coming to the end of its execution.
fn died(rt: &Rt, status: i32) {
    let hang = Hang::of(rt.state().journal.hang.load(Ordering::Relaxed));
    let message = match hang {
        Hang::Runs => "runs on without a scheduling point, and could not be stopped".to_owned(),
        Hang::Waits => {
            halt(rt, "waits for something outside our control, and could not be stopped".to_owned());
            return;
        }
        Hang::No if libc::WIFSIGNALED(status) => {
            let signal = libc::WTERMSIG(status);
            let why = if signal == libc::SIGKILL { ": has the system run out of memory?" } else { "" };
            format!("ends the process by signal {signal}{why}")
        }
        Hang::No => format!("ends the process behind our back, with exit code {}", libc::WEXITSTATUS(status)),
    };
    rt.report("signal", message, 0);
}
