//! Stacks: memory with a page below it that faults.
//!
//! A stack costs system calls to map and page faults to touch, so stacks are kept: a seat uses one for task after task and
//! execution after execution, and when a check ends its stacks wait here for the next one.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// How many stacks wait for the next check; more are given back to the system.
const MAX_KEPT: usize = 64;

/// Larger ones do not wait.
const MAX_KEPT_LENGTH: usize = 64 << 20;

static KEPT: Mutex<Vec<Stack>> = Mutex::new(Vec::new());

/// A mapping that grows down from `top` to its guard page.
pub(crate) struct Stack {
    base: *mut u8,
    /// Bytes, the guard page included.
    length: usize,
    /// As it was asked for.
    size: usize,
}

// SAFETY: a stack that is owned is used by nothing else; a mapping belongs to the process, not to a thread.
unsafe impl Send for Stack {}

impl Stack {
    /// One of those that wait, or a new one.
    pub(crate) fn take(size: usize) -> std::io::Result<Stack> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter().rposition(|stack| stack.size == size) {
            Some(index) => Ok(kept.swap_remove(index)),
            None => Stack::map(size),
        }
    }

    /// Keeps it for the next check.
    pub(crate) fn keep(self) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT && self.length <= MAX_KEPT_LENGTH {
            kept.push(self);
        }
    }

    fn map(size: usize) -> std::io::Result<Stack> {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let Some(length) = size.checked_next_multiple_of(page).and_then(|size| size.checked_add(page)) else {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a new mapping of our own.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let stack = Stack { base: base.cast(), length, size };
        // SAFETY: the lowest page of that mapping.
        if unsafe { libc::mprotect(base, page, libc::PROT_NONE) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok(stack)
    }

    /// The upper end.
    pub(crate) fn top(&self) -> *mut u8 {
        // SAFETY: the end of the mapping.
        unsafe { self.base.add(self.length) }
    }

    /// Where an overflow faults. A frame may begin a little above the guard page and end in it.
    pub(crate) fn guard(&self) -> Range<usize> {
        let base = self.base as usize;
        base..base + (self.length - self.size) + 64 * 1024
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing uses it.
        unsafe { libc::munmap(self.base.cast(), self.length) };
    }
}
