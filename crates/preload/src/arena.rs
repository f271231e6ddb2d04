//! The memory of the runtime itself: apart from the program's, shared with copies of the process, and never put back.
//!
//! One process at a time uses it, and one thread of it: the server waits while a copy runs. Blocks have sizes that are powers of two;
//! freed ones are kept by size.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::null_mut;

use crate::sys;

/// So much address space is reserved. Memory is used as far as it is touched.
const RESERVED: usize = 1 << 37;
/// An execution for which more is needed is given up, rather than the machine.
pub(crate) const MOST_GIB: usize = 4;
const SMALLEST: u32 = 4;
const CLASSES: usize = 40;

/// What lies at the beginning of the reserved memory.
struct Head {
    next: usize,
    end: usize,
    /// Freed blocks by size; each begins with the next one.
    free: [*mut u8; CLASSES],
}

struct Base(UnsafeCell<*mut Head>);

// SAFETY: see the head of this module.
unsafe impl Sync for Base {}

static BASE: Base = Base(UnsafeCell::new(null_mut()));

/// Allocates from the arena.
pub(crate) struct Arena;

fn head() -> *mut Head {
    // SAFETY: only one thread of the runtime is there at a time.
    unsafe {
        let base = BASE.0.get();
        if (*base).is_null() {
            let memory = sys::map(RESERVED, true);
            if memory.is_null() {
                sys::say("caissa: there is no address space for the runtime; is it limited (ulimit -v)?\n");
                sys::exit(70);
            }
            let head = memory.cast::<Head>();
            head.write(Head {
                next: memory as usize + size_of::<Head>().next_multiple_of(64),
                end: memory as usize + RESERVED,
                free: [null_mut(); CLASSES],
            });
            *base = head;
        }
        *base
    }
}

fn class(layout: Layout) -> u32 {
    let size = layout.size().max(layout.align()).max(1 << SMALLEST);
    size.next_power_of_two().trailing_zeros()
}

// SAFETY: blocks are as large as their class says and aligned to that, up to a page; they do not overlap.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (head, class) = (head(), class(layout));
        // SAFETY: freed blocks of a class hold a pointer, and lie in the arena.
        unsafe {
            let free = &mut (&mut (*head).free)[class as usize];
            if !free.is_null() {
                let block = *free;
                *free = block.cast::<*mut u8>().read();
                return block;
            }
            let size = 1usize << class;
            let start = (*head).next.next_multiple_of(size.min(4096));
            if start + size > (*head).end {
                return null_mut();
            }
            (*head).next = start + size;
            start as *mut u8
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let (head, class) = (head(), class(layout));
        // SAFETY: the block has room for a pointer.
        unsafe {
            let free = &mut (&mut (*head).free)[class as usize];
            block.cast::<*mut u8>().write(*free);
            *free = block;
        }
    }
}

/// Whether more is used than an execution may need.
#[inline]
pub(crate) fn is_full() -> bool {
    let head = head();
    // SAFETY: as in `head`.
    unsafe { (*head).next - head as usize > MOST_GIB << 30 }
}

/// Whether an address lies in the arena.
pub(crate) fn contains(address: usize) -> bool {
    let base = head() as usize;
    (base..base + RESERVED).contains(&address)
}
