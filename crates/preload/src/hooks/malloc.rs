//! The program's heap, by the names that programs know it by.

use std::ffi::{c_int, c_void};

use super::stubs;
use crate::heap;
use crate::memory::How;
use crate::real::real;
use crate::rt::Rt;
use crate::start::{is_let_go, is_managed};

stubs! {
    malloc/1 => malloc,
    calloc/2 => calloc,
    realloc/2 => realloc,
    reallocarray/3 => reallocarray,
    free/1 => free,
    memalign/2 => memalign,
    aligned_alloc/2 => memalign,
    posix_memalign/3 => posix_memalign,
    valloc/1 => valloc,
    pvalloc/1 => valloc,
    malloc_usable_size/1 => usable_size,
}

type Pointer = *mut c_void;

/// Whether the heap is ours: in a process that was let go it is libc's, but for blocks from before, which are never given out again.
fn is_ours() -> bool {
    is_managed() && !is_let_go()
}

/// How much a block was allocated for, if it is none of libc's although the heap now is.
fn size_before(block: Pointer) -> Option<usize> {
    if is_let_go() { heap::size_before(block as usize) } else { None }
}

/// `calloc` as libc has it asks for memory while it is looked up.
fn out_of_memory() -> Pointer {
    super::fails(libc::ENOMEM);
    std::ptr::null_mut()
}

fn allocate(size: usize, align: usize, pc: usize) -> Pointer {
    let block: Pointer = heap::allocate(size, align, pc).cast();
    if block.is_null() { out_of_memory() } else { block }
}

extern "C-unwind" fn malloc(size: usize, pc: usize) -> Pointer {
    if is_ours() { allocate(size, 0, pc) } else { real!(malloc(size => usize) -> Pointer) }
}

extern "C-unwind" fn calloc(count: usize, size: usize, pc: usize) -> Pointer {
    if !is_ours() {
        return real!(calloc(count => usize, size => usize) -> Pointer);
    }
    let Some(bytes) = count.checked_mul(size) else { return out_of_memory() };
    let block = allocate(bytes, 0, pc);
    if !block.is_null() {
        // What is done here is no doing of the program's.
        let rt = Rt::enter();
        if let Some(rt) = &rt {
            rt.access(block as usize, bytes, How::Write, pc);
        }
        // SAFETY: the block is new. It may have been another one before.
        unsafe { block.cast::<u8>().write_bytes(0, bytes) };
    }
    block
}

extern "C-unwind" fn realloc(old: Pointer, size: usize, pc: usize) -> Pointer {
    if !is_ours() {
        let Some(before) = size_before(old) else {
            return real!(realloc(old => Pointer, size => usize) -> Pointer);
        };
        let new = real!(malloc(size => usize) -> Pointer);
        if !new.is_null() {
            // SAFETY: both blocks are at least as large.
            unsafe { std::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), before.min(size)) };
        }
        return new;
    }
    if old.is_null() {
        return allocate(size, 0, pc);
    }
    let Some(before) = heap::size(old as usize) else {
        // It says what is wrong.
        heap::free(old as usize, pc);
        return std::ptr::null_mut();
    };
    if size == 0 {
        heap::free(old as usize, pc);
        return std::ptr::null_mut();
    }
    let new = allocate(size, 0, pc);
    if !new.is_null() {
        let kept = before.min(size);
        let rt = Rt::enter();
        if let Some(rt) = &rt {
            rt.access(old as usize, kept, How::Read, pc);
            rt.access(new as usize, kept, How::Write, pc);
        }
        // SAFETY: both blocks are at least as large.
        unsafe { std::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), kept) };
        drop(rt);
        heap::free(old as usize, pc);
    }
    new
}

extern "C-unwind" fn reallocarray(old: Pointer, count: usize, size: usize, pc: usize) -> Pointer {
    match count.checked_mul(size) {
        Some(bytes) => realloc(old, bytes, pc),
        None => out_of_memory(),
    }
}

extern "C-unwind" fn free(block: Pointer, pc: usize) {
    if is_ours() {
        heap::free(block as usize, pc);
    } else if size_before(block).is_none() {
        real!(free(block => Pointer) -> ());
    }
}

extern "C-unwind" fn memalign(align: usize, size: usize, pc: usize) -> Pointer {
    if !is_ours() {
        return real!(memalign(align => usize, size => usize) -> Pointer);
    }
    let Some(align) = align.checked_next_power_of_two() else {
        super::fails(libc::EINVAL);
        return std::ptr::null_mut();
    };
    allocate(size, align, pc)
}

extern "C-unwind" fn posix_memalign(out: *mut Pointer, align: usize, size: usize, pc: usize) -> c_int {
    if !is_ours() {
        return real!(posix_memalign(out => *mut Pointer, align => usize, size => usize) -> c_int);
    }
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = allocate(size, align, pc);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the program's own.
    unsafe { *out = block };
    0
}

extern "C-unwind" fn valloc(size: usize, pc: usize) -> Pointer {
    memalign(4096, size, pc)
}

extern "C-unwind" fn usable_size(block: Pointer, _pc: usize) -> usize {
    if !is_ours() {
        return size_before(block).unwrap_or_else(|| real!(malloc_usable_size(block => Pointer) -> usize));
    }
    heap::size(block as usize).unwrap_or(0)
}
