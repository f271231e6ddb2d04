//! What the compiler calls before accesses of data, at the beginning of the program, and around functions.

use std::arch::naked_asm;

use super::stubs;
use crate::memory::on_access;
use crate::rt::Rt;

/// Defines a stub for an access of a size.
macro_rules! accesses {
    ($($name:ident: $size:literal $function:path),* $(,)?) => {
        $(
            const _: () = {
                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn stub() {
                    naked_asm!(
                        ".cfi_startproc",
                        "mov rdx, [rsp]",
                        concat!("mov esi, ", $size),
                        crate::aside::leave!(),
                        "call {function}",
                        crate::aside::come_back!(),
                        ".cfi_endproc",
                        place = sym crate::aside::PLACE,
                        deepest = const crate::aside::DEEPEST,
                        function = sym $function,
                    )
                }
            };
        )*
    };
}

extern "C-unwind" fn reads(address: usize, size: usize, pc: usize) {
    on_access(address, size, false, pc);
}

extern "C-unwind" fn writes(address: usize, size: usize, pc: usize) {
    on_access(address, size, true, pc);
}

accesses! {
    __tsan_read1: 1 reads, __tsan_read2: 2 reads, __tsan_read4: 4 reads, __tsan_read8: 8 reads, __tsan_read16: 16 reads,
    __tsan_write1: 1 writes, __tsan_write2: 2 writes, __tsan_write4: 4 writes, __tsan_write8: 8 writes, __tsan_write16: 16 writes,
    __tsan_unaligned_read2: 2 reads, __tsan_unaligned_read4: 4 reads, __tsan_unaligned_read8: 8 reads,
    __tsan_unaligned_read16: 16 reads,
    __tsan_unaligned_write2: 2 writes, __tsan_unaligned_write4: 4 writes, __tsan_unaligned_write8: 8 writes,
    __tsan_unaligned_write16: 16 writes,
    __tsan_read_write1: 1 writes, __tsan_read_write2: 2 writes, __tsan_read_write4: 4 writes, __tsan_read_write8: 8 writes,
    __tsan_read_write16: 16 writes,
    __tsan_unaligned_read_write2: 2 writes, __tsan_unaligned_read_write4: 4 writes, __tsan_unaligned_read_write8: 8 writes,
    __tsan_unaligned_read_write16: 16 writes,
    __tsan_vptr_read: 8 reads,
    __tsan_read1_pc: 1 reads, __tsan_read2_pc: 2 reads, __tsan_read4_pc: 4 reads, __tsan_read8_pc: 8 reads,
    __tsan_read16_pc: 16 reads,
    __tsan_write1_pc: 1 writes, __tsan_write2_pc: 2 writes, __tsan_write4_pc: 4 writes, __tsan_write8_pc: 8 writes,
    __tsan_write16_pc: 16 writes,
}

stubs! {
    __tsan_read_range/2 => reads,
    __tsan_write_range/2 => writes,
    __tsan_vptr_update/2 => update_vptr,
}

/// An object gets its table of virtual functions; that it gets the one it has is no write.
extern "C-unwind" fn update_vptr(address: *const usize, new: usize, pc: usize) {
    // SAFETY: the program is about to write there.
    if unsafe { *address } != new {
        on_access(address as usize, 8, true, pc);
    }
}

/// Defines functions that do nothing here.
macro_rules! nothing {
    ($($name:ident),* $(,)?) => {
        $(
            const _: () = {
                #[unsafe(export_name = stringify!($name))]
                #[unsafe(naked)]
                unsafe extern "C" fn stub() {
                    naked_asm!("ret")
                }
            };
        )*
    };
}

// Stacks are looked at where they are needed.
nothing! {
    __tsan_func_entry, __tsan_func_exit, __tsan_ignore_thread_begin, __tsan_ignore_thread_end, __tsan_atomic_signal_fence,
}

stubs! { __tsan_init/0 => begin }

/// A file that calls hooks is there.
extern "C-unwind" fn begin(pc: usize) {
    if let Some(rt) = Rt::enter() {
        rt.file_announces_itself(pc);
    }
}
