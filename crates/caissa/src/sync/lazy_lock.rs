//! [`LazyLock`].

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

use caissa_core::{ObjectKind, OpKind};

use super::once::Doing;
use crate::rt::once::{Done, Place, Slot, Turn};
use crate::rt::{self, Misuse, Rt, Source};

/// A value that is made when it is needed; see [`std::sync::LazyLock`].
///
/// Inside a check a static is made anew in each execution, whether or not it was made outside before. A reference to a value
/// that an execution has made must not be kept beyond the execution, whatever its lifetime says.
pub struct LazyLock<T, F = fn() -> T> {
    slot: Slot<T>,
    outside: std::sync::OnceLock<T>,
    /// Keeps threads outside apart while one makes the value, and knows whether it has panicked.
    once: std::sync::Once,
    /// What makes the value. A function stays here, so that every execution can call it; anything else is taken.
    init: UnsafeCell<Option<F>>,
    /// Whoever sets this may take `init`.
    taken: AtomicBool,
}

// SAFETY: as for std's. `init` is only read if it is a function, and else touched by the one who has set `taken`. Inside a
// check the slot is used by the execution that it belongs to, which `Slot` sees to, on one OS thread.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}
impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

const POISONED: &str = "LazyLock instance has previously been poisoned";

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that `f` makes at its first use.
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            slot: Slot::new(),
            outside: std::sync::OnceLock::new(),
            once: std::sync::Once::new(),
            init: UnsafeCell::new(Some(f)),
            taken: AtomicBool::new(false),
        }
    }

    /// The value; makes it if there is none, and waits while another task does.
    ///
    /// # Panics
    /// If making it has panicked.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        let source = Location::caller();
        let Some(rt) = rt::current() else { return this.force_outside(source) };
        let place = this.slot.find(rt, source);
        match rt.once_begin(place.object, OpKind::Force, false, source) {
            Turn::Done => {}
            Turn::Poisoned => panic!("{POISONED}"),
            Turn::Mine { .. } => this.make(rt, &place, source),
        }
        // SAFETY: once there is a value it is not changed as long as the lock is borrowed and the execution lasts.
        unsafe { (*place.value).as_ref() }.expect("it has been made")
    }

    /// The value, which nobody else can have; makes it if there is none. No point.
    ///
    /// # Panics
    /// If making it has panicked.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        let source = Location::caller();
        let Some(rt) = rt::current() else {
            this.force_outside(source);
            return this.outside.get_mut().expect("it has been made");
        };
        let place = this.slot.find(rt, source);
        let state = &rt.engine().objects[place.object];
        assert!(state.poisoned != Some(true), "{POISONED}");
        if state.count == 0 {
            rt.engine().objects[place.object].poisoned = Some(true);
            let value = this.take_init(source)();
            // SAFETY: the lock is borrowed mutably, so nobody has a reference to a value of it.
            unsafe { *place.value = Some(value) };
            let state = &mut rt.engine().objects[place.object];
            (state.poisoned, state.count) = (None, 1);
        }
        // SAFETY: as above.
        unsafe { (*place.value).as_mut() }.expect("it has been made")
    }

    fn make(&self, rt: Rt, place: &Place<T>, source: Source) {
        let mut doing = Doing { rt, object: place.object, ends: Done::Poisoned, source };
        let value = self.take_init(source)();
        // SAFETY: there is no value and this task alone makes it, so nobody has a reference.
        unsafe { *place.value = Some(value) };
        doing.ends = Done::Complete;
    }

    fn force_outside(&self, source: Source) -> &T {
        self.once.call_once_force(|state| {
            assert!(!state.is_poisoned(), "{POISONED}");
            let value = self.take_init(source)();
            assert!(self.outside.set(value).is_ok(), "made once");
        });
        self.outside.get().expect("it has been made")
    }

    /// What makes the value.
    fn take_init(&self, source: Source) -> F {
        if is_function::<T, F>() {
            // SAFETY: nothing ever writes to it, and a function pointer may be copied.
            return unsafe { std::ptr::read(self.init.get()) }.expect("it is never taken");
        }
        if self.taken.swap(true, Ordering::Acquire) {
            // Somebody has taken it in another execution, or outside.
            let misuse = Misuse::Changed { kind: ObjectKind::Once, source };
            match rt::current() {
                Some(rt) => rt.misuse(misuse),
                None => panic!("{misuse}"),
            }
        }
        // SAFETY: this is the one who has set `taken`.
        unsafe { (*self.init.get()).take() }.expect("it is taken once")
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value, if there is one.
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        let source = Location::caller();
        let Some(rt) = rt::current() else { return this.outside.get() };
        let place = this.slot.find(rt, source);
        if !rt.once_look(place.object, OpKind::GetOnce, source) {
            return None;
        }
        // SAFETY: as in `force`.
        unsafe { (*place.value).as_ref() }
    }

    /// The value, if there is one; nobody else can have it. No point.
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        match rt::current() {
            // SAFETY: the lock is borrowed mutably, so nobody else has a reference to its value.
            Some(rt) => this.slot.find_present(rt).and_then(|place| unsafe { (*place.value).as_mut() }),
            None => this.outside.get_mut(),
        }
    }

    /// The value, without a point.
    fn peek(&self) -> Option<&T> {
        match rt::current() {
            // SAFETY: as in `force`; while a task makes it there is none.
            Some(rt) => self.slot.find_present(rt).and_then(|place| unsafe { (*place.value).as_ref() }),
            None => self.outside.get(),
        }
    }
}

/// Whether `F` is `fn() -> T`, which is all that a static can have.
fn is_function<T, F>() -> bool {
    trait Identified {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<U> Identified for PhantomData<U> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<U>()
        }
    }
    fn id_of<U>() -> TypeId {
        let marker: &dyn Identified = &PhantomData::<U>;
        // SAFETY: only the lifetime bound of the trait object changes, not its vtable; `id` looks at no value of `U`, and
        // a `TypeId` knows no lifetimes. Two types that differ in lifetimes only are both functions or both not.
        let marker: &(dyn Identified + 'static) = unsafe { std::mem::transmute(marker) };
        marker.id()
    }
    id_of::<F>() == id_of::<fn() -> T>()
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    /// Shows the value without a scheduling point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("LazyLock");
        match self.peek() {
            Some(value) => shown.field(value),
            None => shown.field(&format_args!("<uninit>")),
        };
        shown.finish()
    }
}
