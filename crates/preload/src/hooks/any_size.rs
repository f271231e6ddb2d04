//! Atomic accesses of any size, which compilers leave to libatomic: each is one operation, whatever locks it would take.

use std::ffi::{c_int, c_void};

use caissa_core::class::Access;
use caissa_core::{MemoryOrder, ObjectKind, Op, OpKind};

use super::atomics::{locked, order};
use super::{stubs, stubs_of_six};
use crate::memory::How;
use crate::rt::{Rt, number};

type Pointer = *mut c_void;

stubs! {
    __atomic_load/4 => load,
    __atomic_store/4 => store,
    __atomic_exchange/5 => exchange,
}
stubs_of_six! { __atomic_compare_exchange => compare_exchange }

/// # Safety
/// Both are the program's, and so large.
unsafe fn copy(from: Pointer, to: Pointer, size: usize) {
    // SAFETY: as the caller says.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), size) };
}

/// # Safety
/// Both are the program's, and so large.
unsafe fn are_equal(one: Pointer, other: Pointer, size: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let bytes = |pointer: Pointer| std::slice::from_raw_parts(pointer.cast::<u8>(), size);
        bytes(one) == bytes(other)
    }
}

/// The point before an access; returns its object.
fn announce(rt: &Rt, address: Pointer, kind: OpKind, orders: [MemoryOrder; 2], pc: usize) -> usize {
    let object = rt.object(ObjectKind::Atomic, address as usize);
    rt.point(Op::atomic(kind, number(object), orders[0]).or_else(orders[1]), pc);
    object
}

impl Rt {
    /// An atomic access takes effect.
    fn take_effect(&self, object: usize, size: usize, kind: OpKind, order: MemoryOrder, pc: usize) {
        let (address, core) = (self.state().objects[object].address, number(object).0 as usize);
        let reads = kind == OpKind::Load;
        self.access(address, size, if reads { How::AtomicRead } else { How::AtomicWrite }, pc);
        self.touch_class(object, if reads { Access::Read } else { Access::Write });
        if !reads {
            // Values of that size are not shown.
            self.state().execution.changes_hidden();
        }
        let execution = &mut self.state().execution;
        match kind {
            OpKind::Load => execution.order_load(core, order),
            OpKind::Store => execution.order_store(core, order),
            _ => execution.order_update(core, order),
        }
    }
}

extern "C-unwind" fn load(size: usize, from: Pointer, to: Pointer, model: c_int, pc: usize) {
    // SAFETY: the program's own memory.
    let run = || unsafe { copy(from, to, size) };
    let Some(rt) = Rt::enter() else { return locked(run) };
    let order = order(model);
    let object = announce(&rt, from, OpKind::Load, [order, MemoryOrder::None], pc);
    rt.take_effect(object, size, OpKind::Load, order, pc);
    rt.access(to as usize, size, How::Write, pc);
    run();
}

extern "C-unwind" fn store(size: usize, to: Pointer, from: Pointer, model: c_int, pc: usize) {
    // SAFETY: the program's own memory.
    let run = || unsafe { copy(from, to, size) };
    let Some(rt) = Rt::enter() else { return locked(run) };
    let order = order(model);
    let object = announce(&rt, to, OpKind::Store, [order, MemoryOrder::None], pc);
    rt.take_effect(object, size, OpKind::Store, order, pc);
    rt.access(from as usize, size, How::Read, pc);
    run();
}

extern "C-unwind" fn exchange(size: usize, at: Pointer, new: Pointer, old: Pointer, model: c_int, pc: usize) {
    // SAFETY: the program's own memory.
    let run = || unsafe {
        copy(at, old, size);
        copy(new, at, size);
    };
    let Some(rt) = Rt::enter() else { return locked(run) };
    let order = order(model);
    let object = announce(&rt, at, OpKind::Rmw, [order, MemoryOrder::None], pc);
    rt.take_effect(object, size, OpKind::Rmw, order, pc);
    rt.access(new as usize, size, How::Read, pc);
    rt.access(old as usize, size, How::Write, pc);
    run();
}

#[allow(clippy::too_many_arguments)]
extern "C-unwind" fn compare_exchange(
    size: usize,
    at: Pointer,
    expected: Pointer,
    new: Pointer,
    success: c_int,
    failure: c_int,
    pc: usize,
) -> bool {
    // SAFETY: the program's own memory.
    let run = || unsafe {
        let equal = are_equal(at, expected, size);
        if equal {
            copy(new, at, size)
        } else {
            copy(at, expected, size)
        }
        equal
    };
    let Some(rt) = Rt::enter() else { return locked(run) };
    let (order, failure) = (order(success), order(failure));
    let object = announce(&rt, at, OpKind::CompareExchange, [order, failure], pc);
    // SAFETY: as above.
    if unsafe { are_equal(at, expected, size) } {
        rt.take_effect(object, size, OpKind::Rmw, order, pc);
    } else {
        rt.take_effect(object, size, OpKind::Load, failure, pc);
    }
    run()
}
