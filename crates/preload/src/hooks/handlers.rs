//! Handlers and masks of signals. The signal of traps ([`crate::pauses`]) is ours: who handles it is called when it is none of them, and who blocks it does not.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

use super::stubs;
use crate::real::real;
use crate::rt::Rt;
use crate::{pauses, signals};

type Set = *const libc::sigset_t;
type Action = *const libc::sigaction;

stubs! {
    sigprocmask/3 => sigprocmask,
    pthread_sigmask/3 => pthread_sigmask,
    sigaction/3 => sigaction,
    signal/2 => signal,
}

struct Kept(UnsafeCell<libc::sigaction>);

// SAFETY: one task runs at a time; it is what the kernel would keep for the process.
unsafe impl Sync for Kept {}

/// What the program wants to be done when it is trapped.
// SAFETY: all zero is the default action.
static TRAPPED: Kept = Kept(UnsafeCell::new(unsafe { std::mem::zeroed() }));

/// A set without the signal of traps.
///
/// # Safety
/// The program's own, or nothing.
unsafe fn without_traps(set: Set) -> Option<libc::sigset_t> {
    // SAFETY: as the caller says.
    let mut set = unsafe { *set.as_ref()? };
    if pauses::are_installed() {
        // SAFETY: a set of our own.
        unsafe { libc::sigdelset(&mut set, libc::SIGTRAP) };
    }
    Some(set)
}

impl Rt {
    /// From now on tasks may differ in the signals that they block.
    pub(super) fn tell_masks_apart(&self) {
        let state = self.state();
        if !std::mem::replace(&mut state.blocks_signals, true) {
            let blocked = crate::sys::block_signals(None);
            state.tasks.iter_mut().for_each(|task| task.blocked = blocked);
        }
    }
}

/// A set that is to be blocked, or not to be: from now on tasks may differ in theirs.
///
/// # Safety
/// The program's own, or nothing.
unsafe fn masked(how: c_int, set: Set) -> Option<libc::sigset_t> {
    if !set.is_null()
        && let Some(rt) = Rt::enter()
    {
        rt.tell_masks_apart();
    }
    // SAFETY: as the caller says.
    if how == libc::SIG_UNBLOCK { unsafe { set.as_ref() }.copied() } else { unsafe { without_traps(set) } }
}

fn pointer<T>(value: &Option<T>) -> *const T {
    value.as_ref().map_or(std::ptr::null(), |value| value)
}

pub(super) extern "C-unwind" fn sigprocmask(
    how: c_int,
    set: Set,
    old: *mut libc::sigset_t,
    pc: usize,
) -> c_int {
    // SAFETY: the program's own.
    let set = unsafe { masked(how, set) };
    let result = real!(sigprocmask(how => c_int, pointer(&set) => Set, old => *mut libc::sigset_t) -> c_int);
    unblocked(pc);
    result
}

extern "C-unwind" fn pthread_sigmask(how: c_int, set: Set, old: *mut libc::sigset_t, pc: usize) -> c_int {
    // SAFETY: the program's own.
    let set = unsafe { masked(how, set) };
    let result =
        real!(pthread_sigmask(how => c_int, pointer(&set) => Set, old => *mut libc::sigset_t) -> c_int);
    unblocked(pc);
    result
}

/// The running task may have unblocked signals.
fn unblocked(pc: usize) {
    if let Some(rt) = Rt::enter() {
        rt.take_pending_signals(pc);
    }
}

extern "C-unwind" fn sigaction(signal: c_int, new: Action, old: *mut libc::sigaction, _pc: usize) -> c_int {
    if signal == libc::SIGTRAP && pauses::are_installed() {
        // SAFETY: the program's own, and what is kept for it.
        unsafe {
            let kept = &mut *TRAPPED.0.get();
            if let Some(old) = old.as_mut() {
                *old = *kept;
            }
            if let Some(new) = new.as_ref() {
                *kept = *new;
            }
        }
        return 0;
    }
    // SAFETY: the program's own.
    let new = unsafe { new.as_ref() }.map(|action| {
        // SAFETY: a set of the program's.
        let sa_mask = unsafe { without_traps(&action.sa_mask) }.unwrap_or(action.sa_mask);
        libc::sigaction { sa_mask, ..*action }
    });
    real!(sigaction(signal => c_int, pointer(&new) => Action, old => *mut libc::sigaction) -> c_int)
}

/// Rust's library ignores this before `main`, in each execution anew: done by the runtime it is no reason to leave a process whose memory is put back.
fn ignores_broken_pipes(number: c_int, handler: usize, pc: usize) -> bool {
    if number != libc::SIGPIPE || handler != libc::SIG_IGN {
        return false;
    }
    let Some(rt) = Rt::enter() else { return false };
    if rt.state().code.is_programs(pc) {
        return false;
    }
    crate::sys::ignore_signal(number);
    true
}

extern "C-unwind" fn signal(number: c_int, handler: usize, pc: usize) -> usize {
    if ignores_broken_pipes(number, handler, pc) {
        return libc::SIG_DFL;
    }
    if number != libc::SIGTRAP || !pauses::are_installed() {
        return real!(signal(number => c_int, handler => usize) -> usize);
    }
    // SAFETY: all zero is an action; the handler is set here.
    let (mut new, mut old): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
    new.sa_sigaction = handler;
    new.sa_flags = libc::SA_RESTART;
    sigaction(number, &new, &mut old, pc);
    old.sa_sigaction
}

/// A trap that is none of ours.
pub(crate) fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: see above.
    let kept = unsafe { *TRAPPED.0.get() };
    match kept.sa_sigaction {
        libc::SIG_DFL => signals::handle(signal, info, context),
        libc::SIG_IGN => {}
        handler if kept.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the program wants it to be called so.
            let handler: extern "C-unwind" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                unsafe { std::mem::transmute(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: as above.
            let handler: extern "C-unwind" fn(c_int) = unsafe { std::mem::transmute(handler) };
            handler(signal);
        }
    }
}

/// What the program wants to be done when a signal comes.
pub(super) fn handler(signal: c_int) -> usize {
    if signal == libc::SIGTRAP && pauses::are_installed() {
        // SAFETY: see above.
        return unsafe { (*TRAPPED.0.get()).sa_sigaction };
    }
    // SAFETY: it only asks.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        real!(sigaction(signal => c_int, std::ptr::null() => Action, &mut action => *mut libc::sigaction) -> c_int);
        // Where the runtime looks after it the program does not.
        if action.sa_sigaction == signals::handle as *const () as usize {
            libc::SIG_DFL
        } else {
            action.sa_sigaction
        }
    }
}

/// A new execution begins.
pub(super) fn reset() {
    // SAFETY: see above.
    unsafe { *TRAPPED.0.get() = std::mem::zeroed() };
}
