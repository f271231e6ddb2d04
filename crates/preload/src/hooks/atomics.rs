//! Atomic accesses, and those of volatile variables, which are taken for atomic ones.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use caissa_core::class::Access;
use caissa_core::{MemoryOrder, Note, ObjectKind, Op, OpKind};

use super::{stub_of_seven, stubs, stubs_of_six, watched_stubs};
use crate::memory::{How, shown};
use crate::rt::{Rt, number};
use crate::spin::Stop;

/// An order as compilers number them.
pub(super) fn order(number: i32) -> MemoryOrder {
    // Hints of the hardware lie above.
    match number & 0xffff {
        0 => MemoryOrder::Relaxed,
        1 | 2 => MemoryOrder::Acquire,
        3 => MemoryOrder::Release,
        4 => MemoryOrder::AcqRel,
        _ => MemoryOrder::SeqCst,
    }
}

/// An integer that can be accessed atomically.
trait Word: Copy + PartialEq + 'static {
    const SIZE: usize = size_of::<Self>();
    fn number(self) -> u64;
}

macro_rules! words {
    ($($ty:ty),*) => {
        $(impl Word for $ty {
            fn number(self) -> u64 {
                self as u64
            }
        })*
    };
}
words!(u8, u16, u32, u64, u128);

/// An atomic access that is about to be done.
#[derive(Clone, Copy)]
struct Announced {
    object: usize,
    /// It is nobody's business but the language's own library: no point, and nothing that tells classes apart.
    private: bool,
}

impl Announced {
    fn touch(self, rt: &Rt, access: Access) {
        if !self.private {
            rt.touch_class(self.object, access);
        }
    }

    fn note(self, rt: &Rt, note: impl FnOnce() -> Note) {
        if !self.private {
            rt.note(note);
        }
    }

    /// The number of the object.
    fn number(self) -> usize {
        number(self.object).0 as usize
    }
}

/// Whether an access of this order can order others.
fn orders(order: MemoryOrder) -> bool {
    !matches!(order, MemoryOrder::None | MemoryOrder::Relaxed)
}

/// The point before an atomic access, and the accesses that race with it.
fn announce<T: Word>(
    rt: &Rt,
    address: *mut T,
    kind: OpKind,
    order: MemoryOrder,
    failure: MemoryOrder,
    pc: usize,
) -> Announced {
    let stop = Stop::at(pc);
    let object = rt.object(ObjectKind::Atomic, address as usize);
    let private = rt.state().code.private.contain(pc) && !(rt.state().has_accessed && orders(order));
    if private && !rt.task().has_announced {
        // A task comes to a point before anybody can learn what it has done.
        rt.point(rt.own_op(OpKind::Start), pc);
    }
    if !private {
        let op = Op::atomic(kind, number(object), order).or_else(failure);
        rt.point(op, pc);
    }
    if rt.goes_round(stop) {
        rt.has_yielded();
    }
    // One that compares writes only if it finds what it expects.
    let reads = matches!(kind, OpKind::Load | OpKind::CompareExchange);
    rt.access(address as usize, T::SIZE, if reads { How::AtomicRead } else { How::AtomicWrite }, pc);
    Announced { object, private }
}

fn load<T: Word>(rt: &Rt, address: *mut T, order: MemoryOrder, pc: usize) -> T {
    let announced = announce(rt, address, OpKind::Load, order, MemoryOrder::None, pc);
    announced.touch(rt, Access::Read);
    rt.state().execution.order_load(announced.number(), order);
    // SAFETY: the program is about to read it; nobody else runs.
    let value = unsafe { address.read_volatile() };
    rt.saw(value.number());
    announced.note(rt, || Note::Saw(shown(value.number())));
    value
}

fn store<T: Word>(rt: &Rt, address: *mut T, value: T, order: MemoryOrder, pc: usize) {
    let announced = announce(rt, address, OpKind::Store, order, MemoryOrder::None, pc);
    announced.touch(rt, Access::Write);
    rt.state().execution.order_store(announced.number(), order);
    // SAFETY: as above.
    let before = unsafe { address.read_volatile() };
    // SAFETY: as above.
    unsafe { address.write_volatile(value) };
    changed(rt, announced, before, value);
}

/// An atomic had one value and has another one now.
fn changed<T: Word>(rt: &Rt, announced: Announced, before: T, after: T) {
    if before != after {
        rt.task().rounds.changes();
    }
    if T::SIZE > size_of::<u64>() && before != after {
        // Not all of it is shown.
        rt.state().execution.changes_hidden();
    }
    announced.note(rt, || Note::Changed(shown(before.number()), shown(after.number())));
}

fn update<T: Word>(rt: &Rt, address: *mut T, order: MemoryOrder, pc: usize, new: impl FnOnce(T) -> T) -> T {
    let announced = announce(rt, address, OpKind::Rmw, order, MemoryOrder::None, pc);
    announced.touch(rt, Access::Write);
    rt.state().execution.order_update(announced.number(), order);
    // SAFETY: as above.
    let before = unsafe { address.read_volatile() };
    let after = new(before);
    // SAFETY: as above.
    unsafe { address.write_volatile(after) };
    changed(rt, announced, before, after);
    before
}

/// What a compare-exchange is asked to do.
struct Exchange<T> {
    expected: T,
    new: T,
    order: MemoryOrder,
    failure: MemoryOrder,
    weak: bool,
}

/// The value found, and whether it was exchanged.
fn compare_exchange<T: Word>(rt: &Rt, address: *mut T, exchange: Exchange<T>, pc: usize) -> (T, bool) {
    let Exchange { expected, new, order, failure, weak } = exchange;
    let announced = announce(rt, address, OpKind::CompareExchange, order, failure, pc);
    let core = number(announced.object);
    // SAFETY: as above.
    let found = unsafe { address.read_volatile() };
    let fails =
        found != expected || (weak && !announced.private && rt.fault(Op::new(OpKind::MayFail, core), pc));
    if fails {
        announced.touch(rt, Access::Read);
        rt.state().execution.order_load(core.0 as usize, failure);
        let (found, expected) = (shown(found.number()), shown(expected.number()));
        announced.note(rt, || Note::Refused { found, expected });
        return (found_again(address), false);
    }
    rt.access(address as usize, T::SIZE, How::AtomicWrite, pc);
    announced.touch(rt, Access::Write);
    rt.state().execution.order_update(core.0 as usize, order);
    // SAFETY: as above.
    unsafe { address.write_volatile(new) };
    changed(rt, announced, found, new);
    (found, true)
}

fn found_again<T: Word>(address: *mut T) -> T {
    // SAFETY: as above.
    unsafe { address.read_volatile() }
}

macro_rules! atomics {
    (
        $ty:ident $atomic:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
        $strong:ident $weak:ident $val:ident
    ) => {
        mod $ty {
            use super::*;

            /// For a program that is not under control.
            fn real<'a>(address: *mut $ty) -> &'a $atomic {
                // SAFETY: the program accesses it atomically only, or knows better.
                unsafe { $atomic::from_ptr(address) }
            }

            pub(super) extern "C-unwind" fn load(address: *mut $ty, order: i32, pc: usize) -> $ty {
                match Rt::enter() {
                    Some(rt) => super::load(&rt, address, super::order(order), pc),
                    None => real(address).load(Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn store(address: *mut $ty, value: $ty, order: i32, pc: usize) {
                match Rt::enter() {
                    Some(rt) => super::store(&rt, address, value, super::order(order), pc),
                    None => real(address).store(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn exchange(
                address: *mut $ty,
                value: $ty,
                order: i32,
                pc: usize,
            ) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |_| value),
                    None => real(address).swap(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn add(address: *mut $ty, value: $ty, order: i32, pc: usize) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |old| old.wrapping_add(value)),
                    None => real(address).fetch_add(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn sub(address: *mut $ty, value: $ty, order: i32, pc: usize) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |old| old.wrapping_sub(value)),
                    None => real(address).fetch_sub(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn and(address: *mut $ty, value: $ty, order: i32, pc: usize) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |old| old & value),
                    None => real(address).fetch_and(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn or(address: *mut $ty, value: $ty, order: i32, pc: usize) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |old| old | value),
                    None => real(address).fetch_or(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn xor(address: *mut $ty, value: $ty, order: i32, pc: usize) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |old| old ^ value),
                    None => real(address).fetch_xor(value, Ordering::SeqCst),
                }
            }

            pub(super) extern "C-unwind" fn nand(
                address: *mut $ty,
                value: $ty,
                order: i32,
                pc: usize,
            ) -> $ty {
                match Rt::enter() {
                    Some(rt) => update(&rt, address, super::order(order), pc, |old| !(old & value)),
                    None => real(address).fetch_nand(value, Ordering::SeqCst),
                }
            }

            fn exchange_if(address: *mut $ty, exchange: Exchange<$ty>, pc: usize) -> ($ty, bool) {
                match Rt::enter() {
                    Some(rt) => compare_exchange(&rt, address, exchange, pc),
                    None => {
                        let Exchange { expected, new, .. } = exchange;
                        let result =
                            real(address).compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst);
                        (result.unwrap_or_else(|found| found), result.is_ok())
                    }
                }
            }

            /// The value that was found goes where the expected one was.
            fn exchange_by_pointer(
                address: *mut $ty,
                expected: *mut $ty,
                new: $ty,
                orders: (i32, i32),
                weak: bool,
                pc: usize,
            ) -> i32 {
                let (order, failure) = (super::order(orders.0), super::order(orders.1));
                // SAFETY: the program's own variable.
                let exchange = Exchange { expected: unsafe { *expected }, new, order, failure, weak };
                let (found, exchanged) = exchange_if(address, exchange, pc);
                if !exchanged {
                    // SAFETY: as above.
                    unsafe { *expected = found };
                }
                exchanged as i32
            }

            pub(super) extern "C-unwind" fn strong(
                address: *mut $ty,
                expected: *mut $ty,
                new: $ty,
                order: i32,
                failure: i32,
                pc: usize,
            ) -> i32 {
                exchange_by_pointer(address, expected, new, (order, failure), false, pc)
            }

            pub(super) extern "C-unwind" fn weak(
                address: *mut $ty,
                expected: *mut $ty,
                new: $ty,
                order: i32,
                failure: i32,
                pc: usize,
            ) -> i32 {
                exchange_by_pointer(address, expected, new, (order, failure), true, pc)
            }

            pub(super) extern "C-unwind" fn val(
                address: *mut $ty,
                expected: $ty,
                new: $ty,
                order: i32,
                failure: i32,
                pc: usize,
            ) -> $ty {
                let (order, failure) = (super::order(order), super::order(failure));
                exchange_if(address, Exchange { expected, new, order, failure, weak: false }, pc).0
            }
        }

        watched_stubs! {
            $load/2 => $ty::load,
            $store/3 => $ty::store,
            $exchange/3 => $ty::exchange,
            $add/3 => $ty::add,
            $sub/3 => $ty::sub,
            $and/3 => $ty::and,
            $or/3 => $ty::or,
            $xor/3 => $ty::xor,
            $nand/3 => $ty::nand,
            $strong/5 => $ty::strong,
            $weak/5 => $ty::weak,
            $val/5 => $ty::val,
        }
    };
}

atomics! {
    u8 AtomicU8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
    __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
    __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val
}
atomics! {
    u16 AtomicU16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub
    __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
    __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val
}
atomics! {
    u32 AtomicU32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub
    __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
    __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val
}
atomics! {
    u64 AtomicU64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub
    __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
    __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val
}

/// Accesses of volatile variables: the value is read or written by the program itself, right after this.
extern "C-unwind" fn volatile(address: *mut u8, kind: OpKind, size: usize, pc: usize) {
    if let Some(rt) = Rt::enter() {
        let object = rt.object(ObjectKind::Atomic, address as usize);
        rt.point(Op::atomic(kind, number(object), MemoryOrder::SeqCst), pc);
        let (access, how) = match kind {
            OpKind::Load => (Access::Read, How::AtomicRead),
            _ => (Access::Write, How::AtomicWrite),
        };
        rt.access(address as usize, size, how, pc);
        // It synchronises with whoever accesses it, as the checkers of old programs have it.
        rt.touch(object, access);
        if kind == OpKind::Load {
            // SAFETY: the program is about to read it.
            let value = unsafe {
                match size {
                    1 => address.read_volatile() as u64,
                    2 => address.cast::<u16>().read_unaligned() as u64,
                    4 => address.cast::<u32>().read_unaligned() as u64,
                    _ => address.cast::<u64>().read_unaligned(),
                }
            };
            rt.note(|| Note::Saw(shown(value)));
        }
    }
}

macro_rules! volatiles {
    ($($read:ident $write:ident $inner_read:ident $inner_write:ident: $size:literal),* $(,)?) => {
        $(
            extern "C-unwind" fn $inner_read(address: *mut u8, pc: usize) {
                volatile(address, OpKind::Load, $size, pc);
            }
            extern "C-unwind" fn $inner_write(address: *mut u8, pc: usize) {
                volatile(address, OpKind::Store, $size, pc);
            }
            stubs! { $read/1 => $inner_read, $write/1 => $inner_write }
        )*
    };
}

volatiles! {
    __tsan_volatile_read1 __tsan_volatile_write1 read1 write1: 1,
    __tsan_volatile_read2 __tsan_volatile_write2 read2 write2: 2,
    __tsan_volatile_read4 __tsan_volatile_write4 read4 write4: 4,
    __tsan_volatile_read8 __tsan_volatile_write8 read8 write8: 8,
    __tsan_volatile_read16 __tsan_volatile_write16 read16 write16: 16,
    __tsan_unaligned_volatile_read2 __tsan_unaligned_volatile_write2 far_read2 far_write2: 2,
    __tsan_unaligned_volatile_read4 __tsan_unaligned_volatile_write4 far_read4 far_write4: 4,
    __tsan_unaligned_volatile_read8 __tsan_unaligned_volatile_write8 far_read8 far_write8: 8,
    __tsan_unaligned_volatile_read16 __tsan_unaligned_volatile_write16 far_read16 far_write16: 16,
}

extern "C-unwind" fn fence(number: i32, pc: usize) {
    match Rt::enter() {
        Some(rt) => {
            let order = order(number);
            // No point: what it orders shows at the accesses around it.
            let source = rt.source(pc);
            let execution = &mut rt.state().execution;
            execution.aside(Op::atomic(OpKind::Fence, caissa_core::ObjectId(0), order), source);
            execution.order_fence(order);
        }
        None => std::sync::atomic::fence(Ordering::SeqCst),
    }
}

stubs! { __tsan_atomic_thread_fence/1 => fence }

/// Stores a byte as an atomic of the program's would.
pub(super) fn store_release(rt: &Rt, address: *mut u8, value: u8, pc: usize) {
    store(rt, address, value, MemoryOrder::Release, pc);
}

/// For a program that is not under control: accesses for which there is no instruction take turns.
pub(super) fn locked<T>(run: impl FnOnce() -> T) -> T {
    static LOCK: AtomicBool = AtomicBool::new(false);
    while LOCK.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    let result = run();
    LOCK.store(false, Ordering::Release);
    result
}

/// Accesses of 16 bytes. Where the program is not under control one lock stands for the instruction that few processors lack.
mod wide {
    use super::*;

    /// For a program that is not under control.
    fn real_update(address: *mut u128, new: impl FnOnce(u128) -> u128) -> u128 {
        // SAFETY: the program's own; whoever accesses it so holds the lock.
        locked(|| unsafe {
            let old = *address;
            *address = new(old);
            old
        })
    }

    extern "C-unwind" fn load(address: *mut u128, order: i32, pc: usize) -> u128 {
        match Rt::enter() {
            Some(rt) => super::load(&rt, address, super::order(order), pc),
            None => real_update(address, |old| old),
        }
    }

    extern "C-unwind" fn store(address: *mut u128, value: u128, order: i32, pc: usize) {
        match Rt::enter() {
            Some(rt) => super::store(&rt, address, value, super::order(order), pc),
            None => {
                real_update(address, |_| value);
            }
        }
    }

    fn change(address: *mut u128, order: i32, pc: usize, new: impl FnOnce(u128) -> u128) -> u128 {
        match Rt::enter() {
            Some(rt) => update(&rt, address, super::order(order), pc, new),
            None => real_update(address, new),
        }
    }

    extern "C-unwind" fn exchange(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |_| value)
    }

    extern "C-unwind" fn add(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |old| old.wrapping_add(value))
    }

    extern "C-unwind" fn sub(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |old| old.wrapping_sub(value))
    }

    extern "C-unwind" fn and(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |old| old & value)
    }

    extern "C-unwind" fn or(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |old| old | value)
    }

    extern "C-unwind" fn xor(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |old| old ^ value)
    }

    extern "C-unwind" fn nand(address: *mut u128, value: u128, order: i32, pc: usize) -> u128 {
        change(address, order, pc, |old| !(old & value))
    }

    fn exchange_if(address: *mut u128, exchange: Exchange<u128>, pc: usize) -> (u128, bool) {
        match Rt::enter() {
            Some(rt) => compare_exchange(&rt, address, exchange, pc),
            None => {
                let Exchange { expected, new, .. } = exchange;
                let found = real_update(address, |old| if old == expected { new } else { old });
                (found, found == expected)
            }
        }
    }

    extern "C-unwind" fn by_pointer(
        address: *mut u128,
        expected: *mut u128,
        new: u128,
        order: i32,
        failure: i32,
        pc: usize,
    ) -> i32 {
        let (order, failure) = (super::order(order), super::order(failure));
        // SAFETY: the program's own variable.
        let exchange = Exchange { expected: unsafe { *expected }, new, order, failure, weak: false };
        let (found, exchanged) = exchange_if(address, exchange, pc);
        if !exchanged {
            // SAFETY: as above.
            unsafe { *expected = found };
        }
        exchanged as i32
    }

    extern "C-unwind" fn by_value(
        address: *mut u128,
        expected: u128,
        new: u128,
        order: i32,
        failure: i32,
        pc: usize,
    ) -> u128 {
        let (order, failure) = (super::order(order), super::order(failure));
        exchange_if(address, Exchange { expected, new, order, failure, weak: false }, pc).0
    }

    stubs! {
        __tsan_atomic128_load/2 => load,
        __tsan_atomic128_store/4 => store,
        __tsan_atomic128_exchange/4 => exchange,
        __tsan_atomic128_fetch_add/4 => add,
        __tsan_atomic128_fetch_sub/4 => sub,
        __tsan_atomic128_fetch_and/4 => and,
        __tsan_atomic128_fetch_or/4 => or,
        __tsan_atomic128_fetch_xor/4 => xor,
        __tsan_atomic128_fetch_nand/4 => nand,
        // What compilers call where they do not want to make these themselves.
        __atomic_load_16/2 => load,
        __atomic_store_16/4 => store,
        __atomic_exchange_16/4 => exchange,
        __atomic_fetch_add_16/4 => add,
        __atomic_fetch_sub_16/4 => sub,
        __atomic_fetch_and_16/4 => and,
        __atomic_fetch_or_16/4 => or,
        __atomic_fetch_xor_16/4 => xor,
        __atomic_fetch_nand_16/4 => nand,
    }
    stubs_of_six! {
        __tsan_atomic128_compare_exchange_strong => by_pointer,
        __tsan_atomic128_compare_exchange_weak => by_pointer,
        __atomic_compare_exchange_16 => by_pointer,
    }

    const _: () = {
        #[unsafe(export_name = "__tsan_atomic128_compare_exchange_val")]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn stub() {
            stub_of_seven!(by_value)
        }
    };
}
