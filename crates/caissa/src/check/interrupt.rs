//! Ctrl-C while a check with a resume file runs: the check stops, writes its file, and then the process ends as by SIGINT.
//!
//! Only the default action is replaced, and only while such a check runs: a handler of the program stays, and so does the
//! wish to ignore the signal; then nothing is caught. If several checks run at a time each writes its file, and the last one
//! ends the process. A second Ctrl-C ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use caissa_check::Interrupts;

/// The signal has come.
static ASKED: AtomicBool = AtomicBool::new(false);
/// How many checks would like to know, and whether our handler is in place.
static CHECKS: Mutex<(usize, bool)> = Mutex::new((0, false));

fn checks() -> MutexGuard<'static, (usize, bool)> {
    CHECKS.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn on_interrupt(signal: i32) {
    if ASKED.swap(true, Ordering::Relaxed) {
        // SAFETY: both may be called in a handler; the default action ends the process when the handler returns.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

/// While it lives, an interrupt does not end the process.
pub(super) struct Caught;

impl Caught {
    pub(super) fn catch() -> Caught {
        let mut checks = checks();
        checks.0 += 1;
        if checks.0 == 1 {
            // SAFETY: the structures are zeroed as the C interface expects and filled in; the handler only stores to a static
            // and calls what may be called in one.
            unsafe {
                let mut before: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGINT, std::ptr::null(), &mut before);
                if before.sa_sigaction == libc::SIG_DFL {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = on_interrupt as *const () as usize;
                    action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
                    libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
                    checks.1 = true;
                }
            }
        }
        Caught
    }
}

impl Interrupts for Caught {
    fn is_asked(&self) -> bool {
        ASKED.load(Ordering::Relaxed)
    }

    /// Ends the process as by the signal, once every other check has written its file.
    fn end_process(self: Box<Self>) {
        drop(self);
        // The last one to be dropped has raised the signal; others wait for it.
        loop {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Caught {
    fn drop(&mut self) {
        let mut checks = checks();
        checks.0 -= 1;
        if checks.0 == 0 && std::mem::take(&mut checks.1) {
            // SAFETY: the structure is zeroed as the C interface expects. Only the default was replaced, so that is what was there
            // before; what the program has put there since then stays, unless the process is to end.
            unsafe {
                let mut now: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGINT, std::ptr::null(), &mut now);
                let asked = ASKED.load(Ordering::Relaxed);
                if asked || now.sa_sigaction == on_interrupt as *const () as usize {
                    libc::signal(libc::SIGINT, libc::SIG_DFL);
                }
                if asked {
                    libc::raise(libc::SIGINT);
                }
            }
        }
    }
}
