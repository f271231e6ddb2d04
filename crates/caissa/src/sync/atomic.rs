//! Drop-in replacements for [`std::sync::atomic`].
//!
//! Inside a check every access is a scheduling point and takes effect at once, in one total order (sequential
//! consistency), whatever its ordering says; orderings are recorded. Every read goes through one function, where weak
//! memory could later offer more than one value.

use std::fmt;
use std::panic::Location;

use caissa_core::class::Access;
use caissa_core::{MemoryOrder, Note, ObjectId, ObjectKind, Op, OpKind};

use crate::rt::engine::{changed, saw};
use crate::rt::{self, Home, Rt, Source};

pub use std::sync::atomic::{Ordering, compiler_fence};

/// A memory fence; see [`std::sync::atomic::fence`]. Under sequential consistency it orders nothing that is not ordered
/// already, so it is recorded and no scheduling point.
#[inline]
#[track_caller]
pub fn fence(order: Ordering) {
    assert!(order != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    let source = Location::caller();
    match rt::current() {
        None => std::sync::atomic::fence(order),
        Some(rt) => {
            let op = Op::atomic(OpKind::Fence, ObjectId(rt.current().0), order.into());
            if rt.reference_points() {
                rt.point(op, source);
                rt.touch_nothing();
            } else {
                rt.engine().execution.aside(op, source.into());
            }
            rt.engine().execution.order_fence(order.into());
        }
    }
}

/// Says that this task waits in a loop.
#[deprecated(note = "use `hint::spin_loop` instead")]
#[track_caller]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// An atomic that is `false`.
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const, reason = "it is std's")]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);
/// An atomic that is 0.
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const, reason = "it is std's")]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);
/// An atomic that is 0.
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const, reason = "it is std's")]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);

/// What a value of an atomic type is, apart from the type.
trait Cell: Copy + PartialEq + fmt::Debug {
    type Atomic: fmt::Debug;
    fn get(atomic: &Self::Atomic) -> Self;
    fn set(atomic: &Self::Atomic, value: Self);
}

/// An atomic variable of either kind of life: a real one outside a check, an object inside.
struct Variable<T: Cell> {
    home: Home,
    value: T::Atomic,
    /// The value that the present execution met first.
    first: T::Atomic,
}

impl<T: Cell> Variable<T> {
    /// A point before an access. `None` outside a check.
    #[inline(always)]
    fn point(&self, kind: OpKind, order: Ordering, source: Source) -> Option<(Rt, usize)> {
        self.point_or_else(kind, order, MemoryOrder::None, source)
    }

    #[inline(always)]
    fn point_or_else(
        &self,
        kind: OpKind,
        order: Ordering,
        failure: MemoryOrder,
        source: Source,
    ) -> Option<(Rt, usize)> {
        let Some(rt) = rt::inside() else {
            self.use_outside(kind, source);
            return None;
        };
        let object = self.home.find(rt, ObjectKind::Atomic, source, || self.begin());
        let op = Op::atomic(kind, ObjectId(object as u32), order.into()).or_else(failure);
        rt.point(op, source);
        Some((rt, object))
    }

    /// A use where there is no engine: outside a check, or by a state hook.
    fn use_outside(&self, kind: OpKind, source: Source) {
        match rt::peek() {
            None => self.home.touch_outside(ObjectKind::Atomic, source),
            Some(_) if kind == OpKind::Load => {}
            Some(peek) => peek.refuse(format!("writes to an atomic at {source}")),
        }
    }

    /// Whether the value differs from what an earlier execution met; from here on it is compared with what it is now.
    #[cold]
    fn begin(&self) -> bool {
        let now = T::get(&self.value);
        let differs = T::get(&self.first) != now;
        T::set(&self.first, now);
        differs
    }

    /// The one place where a task reads an atomic.
    #[inline(always)]
    fn read(&self) -> T {
        T::get(&self.value)
    }

    #[inline(always)]
    #[track_caller]
    fn load(&self, order: Ordering, outside: impl FnOnce(&T::Atomic) -> T) -> T {
        match self.point(OpKind::Load, order, Location::caller()) {
            None => outside(&self.value),
            Some((rt, object)) => {
                assert!(
                    !matches!(order, Ordering::Release | Ordering::AcqRel),
                    "there is no such thing as a release load"
                );
                rt.touch_class(object, Access::Read);
                rt.engine().execution.order_load(object, order.into());
                let value = self.read();
                rt.note(|| saw(value));
                value
            }
        }
    }

    #[inline(always)]
    #[track_caller]
    fn store(&self, value: T, order: Ordering, outside: impl FnOnce(&T::Atomic)) {
        match self.point(OpKind::Store, order, Location::caller()) {
            None => outside(&self.value),
            Some((rt, object)) => {
                assert!(
                    !matches!(order, Ordering::Acquire | Ordering::AcqRel),
                    "there is no such thing as an acquire store"
                );
                rt.touch_class(object, Access::Write);
                rt.engine().execution.order_store(object, order.into());
                rt.note(|| changed(T::get(&self.value), value));
                T::set(&self.value, value);
            }
        }
    }

    #[inline(always)]
    #[track_caller]
    fn update(&self, order: Ordering, outside: impl FnOnce(&T::Atomic) -> T, new: impl FnOnce(T) -> T) -> T {
        match self.point(OpKind::Rmw, order, Location::caller()) {
            None => outside(&self.value),
            Some((rt, object)) => {
                rt.touch_class(object, Access::Write);
                rt.engine().execution.order_update(object, order.into());
                let old = self.read();
                let value = new(old);
                rt.note(|| changed(old, value));
                T::set(&self.value, value);
                old
            }
        }
    }

    #[inline]
    #[track_caller]
    fn compare_exchange(
        &self,
        expected: T,
        new: T,
        order: (Ordering, Ordering),
        weak: bool,
        outside: impl FnOnce(&T::Atomic) -> Result<T, T>,
    ) -> Result<T, T> {
        let source = Location::caller();
        match self.point_or_else(OpKind::CompareExchange, order.0, order.1.into(), source) {
            None => outside(&self.value),
            Some((rt, object)) => {
                assert!(
                    !matches!(order.1, Ordering::Release | Ordering::AcqRel),
                    "there is no such thing as a release failure ordering"
                );
                let old = self.read();
                if old == expected {
                    if weak && self.fails_for_no_reason(rt, object, source) {
                        rt.engine().execution.order_load(object, order.1.into());
                        return Err(old);
                    }
                    rt.touch_class(object, Access::Write);
                    rt.engine().execution.order_update(object, order.0.into());
                    rt.note(|| changed(old, new));
                    T::set(&self.value, new);
                    Ok(old)
                } else {
                    // A failed comparison only reads.
                    rt.touch_class(object, Access::Read);
                    rt.engine().execution.order_load(object, order.1.into());
                    rt.note(|| Note::Refused {
                        found: format!("{old:?}"),
                        expected: format!("{expected:?}"),
                    });
                    Err(old)
                }
            }
        }
    }
}

impl<T: Cell> Variable<T> {
    /// A weak compare-exchange that found what it expected fails all the same, by a fault.
    fn fails_for_no_reason(&self, rt: Rt, object: usize, source: Source) -> bool {
        let fails = rt.fault(Op::new(OpKind::MayFail, ObjectId(object as u32)), source);
        if fails {
            rt.touch_class(object, Access::Read);
            rt.note(|| Note::Tried(false));
        }
        fails
    }
}

/// What all atomic types have.
macro_rules! atomic_common {
    ($(#[$doc:meta])* $name:ident $(<$param:ident>)?, $value:ty, $std:ty) => {
        impl $(<$param>)? Cell for $value {
            type Atomic = $std;
            #[inline(always)]
            fn get(atomic: &Self::Atomic) -> Self {
                atomic.load(Ordering::Relaxed)
            }
            #[inline(always)]
            fn set(atomic: &Self::Atomic, value: Self) {
                atomic.store(value, Ordering::Relaxed);
            }
        }

        $(#[$doc])*
        pub struct $name $(<$param>)? {
            inner: Variable<$value>,
        }

        impl $(<$param>)? std::panic::RefUnwindSafe for $name $(<$param>)? {}

        impl $(<$param>)? $name $(<$param>)? {
            /// A new atomic with this value.
            pub const fn new(value: $value) -> Self {
                let inner =
                    Variable { home: Home::new(), value: <$std>::new(value), first: <$std>::new(value) };
                $name { inner }
            }

            /// Reads the value.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                self.inner.load(order, |atomic| atomic.load(order))
            }

            /// Writes a value.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                self.inner.store(value, order, |atomic| atomic.store(value, order));
            }

            /// Writes a value and returns the one before.
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.inner.update(order, |atomic| atomic.swap(value, order), |_| value)
            }

            /// Writes `new` if the value is `current`; returns the value before, as an error if it was another one.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.inner.compare_exchange(current, new, (success, failure), false, |atomic| {
                    atomic.compare_exchange(current, new, success, failure)
                })
            }

            /// As `compare_exchange`, but it may fail for no reason: inside a check by a fault.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.inner.compare_exchange(current, new, (success, failure), true, |atomic| {
                    atomic.compare_exchange_weak(current, new, success, failure)
                })
            }

            /// Reads the value, computes a new one and exchanges them, again and again until nobody came between.
            ///
            /// A failure for no reason would only call `f` again with the same value, so inside a check there is none here.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut current = self.load(fetch_order);
                while let Some(new) = f(current) {
                    match self.compare_exchange(current, new, set_order, fetch_order) {
                        Ok(before) => return Ok(before),
                        Err(now) => current = now,
                    }
                }
                Err(current)
            }

            /// As `fetch_update`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, f)
            }

            /// As `fetch_update`, with a closure that always gives a new value; returns the one before.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                let mut current = self.load(fetch_order);
                loop {
                    match self.compare_exchange(current, f(current), set_order, fetch_order) {
                        Ok(before) => return before,
                        Err(now) => current = now,
                    }
                }
            }

            /// As `compare_exchange`; returns the value before, whether or not it was `current`.
            #[deprecated(note = "use `compare_exchange` or `compare_exchange_weak` instead")]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::Release | Ordering::Relaxed => Ordering::Relaxed,
                    Ordering::Acquire | Ordering::AcqRel => Ordering::Acquire,
                    _ => Ordering::SeqCst,
                };
                match self.compare_exchange(current, new, order, failure) {
                    Ok(before) | Err(before) => before,
                }
            }

            /// A pointer to the value. What is done through it is no scheduling point.
            pub const fn as_ptr(&self) -> *mut $value {
                self.inner.value.as_ptr()
            }

            /// The value, which nobody else can have.
            pub fn get_mut(&mut self) -> &mut $value {
                self.inner.home = Home::new();
                self.inner.value.get_mut()
            }

            /// The value.
            pub const fn into_inner(self) -> $value {
                self.inner.value.into_inner()
            }
        }

        impl $(<$param>)? From<$value> for $name $(<$param>)? {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$param>)? fmt::Debug for $name $(<$param>)? {
            /// Shows the value without a scheduling point.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.inner.value, f)
            }
        }
    };
}

macro_rules! atomic_integer {
    ($($name:ident, $value:ident;)*) => { $(
        atomic_common! {
            #[doc = concat!("An atomic `", stringify!($value), "`; see [`std::sync::atomic::", stringify!($name), "`].")]
            $name, $value, std::sync::atomic::$name
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(0)
            }
        }

        atomic_integer!(@fetch $name, $value,
            fetch_add "Adds, wrapping around" |old, n| old.wrapping_add(n);
            fetch_sub "Subtracts, wrapping around" |old, n| old.wrapping_sub(n);
            fetch_and "Bitwise and" |old, n| old & n;
            fetch_nand "Bitwise not-and" |old, n| !(old & n);
            fetch_or "Bitwise or" |old, n| old | n;
            fetch_xor "Bitwise exclusive or" |old, n| old ^ n;
            fetch_max "Maximum" |old, n| old.max(n);
            fetch_min "Minimum" |old, n| old.min(n);
        );
    )* };
    (@fetch $name:ident, $value:ident, $($method:ident $doc:literal |$old:ident, $n:ident| $new:expr;)*) => {
        impl $name {
            $(
                #[doc = concat!($doc, "; returns the value before.")]
                #[inline]
                #[track_caller]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    self.inner.update(order, |atomic| atomic.$method(value, order), |$old| { let $n = value; $new })
                }
            )*
        }
    };
}

atomic_integer! {
    AtomicU8, u8;
    AtomicU16, u16;
    AtomicU32, u32;
    AtomicU64, u64;
    AtomicUsize, usize;
    AtomicI8, i8;
    AtomicI16, i16;
    AtomicI32, i32;
    AtomicI64, i64;
    AtomicIsize, isize;
}

atomic_common! {
    /// An atomic `bool`; see [`std::sync::atomic::AtomicBool`].
    AtomicBool, bool, std::sync::atomic::AtomicBool
}

impl Default for AtomicBool {
    fn default() -> Self {
        Self::new(false)
    }
}

atomic_integer!(@fetch AtomicBool, bool,
    fetch_and "Logical and" |old, n| old & n;
    fetch_nand "Logical not-and" |old, n| !(old & n);
    fetch_or "Logical or" |old, n| old | n;
    fetch_xor "Logical exclusive or" |old, n| old ^ n;
);

impl AtomicBool {
    /// Logical not; returns the value before.
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

atomic_common! {
    /// An atomic pointer; see [`std::sync::atomic::AtomicPtr`].
    AtomicPtr<T>, *mut T, std::sync::atomic::AtomicPtr<T>
}

macro_rules! fetch_pointer {
    ($($method:ident($what:ident) $doc:literal |$old:ident, $n:ident| $new:expr;)*) => {
        impl<T> AtomicPtr<T> {
            $(
                #[doc = concat!($doc, "; returns the pointer before.")]
                #[inline]
                #[track_caller]
                pub fn $method(&self, $what: usize, order: Ordering) -> *mut T {
                    self.inner.update(order, |atomic| atomic.$method($what, order), |$old| { let $n = $what; $new })
                }
            )*
        }
    };
}

fetch_pointer! {
    fetch_ptr_add(count) "Adds so many elements" |old, n| old.wrapping_add(n);
    fetch_ptr_sub(count) "Subtracts so many elements" |old, n| old.wrapping_sub(n);
    fetch_byte_add(bytes) "Adds so many bytes" |old, n| old.wrapping_byte_add(n);
    fetch_byte_sub(bytes) "Subtracts so many bytes" |old, n| old.wrapping_byte_sub(n);
    fetch_or(bits) "Bitwise or of the address" |old, n| old.map_addr(|address| address | n);
    fetch_and(bits) "Bitwise and of the address" |old, n| old.map_addr(|address| address & n);
    fetch_xor(bits) "Bitwise exclusive or of the address" |old, n| old.map_addr(|address| address ^ n);
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.inner.value, f)
    }
}
