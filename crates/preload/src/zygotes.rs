//! Parked threads, whose stacks and thread-local storage coroutines use.
//!
//! A thread's stack, its thread-local variables and what libc keeps of it cannot be made by hand. So real threads are started before the first
//! execution and never do anything: a coroutine runs below the frames of one, with its thread pointer. In copies of the process the threads are
//! not there, but their memory is.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::real::real;
use crate::sys;

/// A parked thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zygote {
    /// What the program knows it by.
    pub(crate) thread: usize,
    /// Its thread pointer.
    pub(crate) pointer: usize,
    /// Its stack, as far as it has not used it itself.
    pub(crate) stack: Range<usize>,
}

/// As large as a thread's stack is by default.
const STACK: usize = 8 << 20;
/// A frame that is larger than its stack must not reach another one.
const GUARD: usize = 64 << 20;
/// Below the frames of a parked thread so much is left alone.
const MARGIN: usize = 4096;

static READY: AtomicU32 = AtomicU32::new(0);

/// Starts so many.
pub(crate) fn start(count: u32) -> Vec<Zygote> {
    let mut zygotes = vec![Zygote::default(); count as usize];
    // SAFETY: attributes that are made here; a signal that comes to a parked thread would use its stack, so they have none.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstacksize(&mut attributes, STACK);
        libc::pthread_attr_setguardsize(&mut attributes, GUARD);
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        for (started, zygote) in (1..).zip(&mut zygotes) {
            let mut thread = 0usize;
            let attributes = &raw const attributes;
            let failed = real!(pthread_create(
                &mut thread => *mut usize,
                attributes => *const libc::pthread_attr_t,
                park => extern "C" fn(*mut c_void) -> *mut c_void,
                std::ptr::from_mut(zygote).cast() => *mut c_void,
            ) -> i32);
            if failed != 0 {
                break;
            }
            while READY.load(Ordering::Acquire) != started {
                sys::futex_wait(READY.as_ptr(), started - 1);
            }
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
    }
    zygotes.retain(|zygote| zygote.thread != 0);
    zygotes
}

extern "C" fn park(zygote: *mut c_void) -> *mut c_void {
    // SAFETY: `start` waits until this is done.
    unsafe {
        let zygote = &mut *zygote.cast::<Zygote>();
        let here = (&raw const zygote) as usize;
        zygote.thread = libc::pthread_self() as usize;
        zygote.pointer = sys::thread_pointer();
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        let (mut base, mut size) = (std::ptr::null_mut(), 0);
        libc::pthread_getattr_np(libc::pthread_self(), &mut attributes);
        libc::pthread_attr_getstack(&attributes, &mut base, &mut size);
        zygote.stack = base as usize..(here - MARGIN) & !15;
    }
    READY.fetch_add(1, Ordering::Release);
    sys::futex_wake(READY.as_ptr());
    let never = AtomicU32::new(0);
    loop {
        sys::futex_wait(never.as_ptr(), 0);
    }
}
