//! What is done once in an execution: the twin of `Once`, `OnceLock` and `LazyLock`.
//!
//! Statics of these types are made anew in each execution (docs/semantics.md, "State"). What has been done, and by whom, is
//! the object's to know, and ends with the execution. The value that was made lies in a [`Slot`] beside its [`Home`], and moves
//! with it. A value that an earlier execution has left there, which only happens in a static or in what the closure captures, is
//! destroyed when an execution uses the slot first. Two checks can run at a time and use one static: the one that comes
//! second gets a place of its own for the execution, found by the address of the slot, and destroyed at its end.
//!
//! Destructors of such values run outside any execution: std runs none for statics, and nothing explores them.

use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use caissa_core::class::Access;
use caissa_core::{ObjectId, ObjectKind, Op, OpKind};

use super::{Home, Rt, Source};

/// A place for a value that an execution makes once.
pub(crate) struct Slot<T> {
    home: Home,
    value: UnsafeCell<Option<T>>,
}

/// Where a value of the present execution lies, and its object. The pointer is good as long as the slot is borrowed, and
/// no longer than the execution.
pub(crate) struct Place<T> {
    pub(crate) object: usize,
    pub(crate) value: *mut Option<T>,
    /// Nothing in this execution has used it before.
    pub(crate) first_use: bool,
}

/// A value of the present execution that lies apart from its slot.
pub(crate) struct Kept {
    slot: usize,
    object: usize,
    value: *mut (),
    /// Destroys the value.
    destroy: unsafe fn(*mut ()),
}

impl<T> Slot<T> {
    pub(crate) const fn new() -> Slot<T> {
        Slot { home: Home::new(), value: UnsafeCell::new(None) }
    }

    /// The place of the present execution.
    pub(crate) fn find(&self, rt: Rt, source: Source) -> Place<T> {
        if let Some(object) = self.home.find_present(rt) {
            return Place { object, value: self.value.get(), first_use: false };
        }
        if let Some(place) = self.find_kept(rt) {
            return place;
        }
        if let Some((object, _)) = self.home.find_anew(rt, ObjectKind::Once, source) {
            // SAFETY: the word is this execution's since just now, so nobody else looks at the value: not another check, and
            // threads outside never do. Whoever made it has ended, and references to it with it.
            let left = unsafe { (*self.value.get()).take() };
            if let Some(left) = left {
                destroy_quietly(|| drop(left));
            }
            return Place { object, value: self.value.get(), first_use: true };
        }
        let object = rt.new_object(ObjectKind::Once, source);
        let value: *mut Option<T> = Box::into_raw(Box::new(None));
        let destroy = |value: *mut ()| {
            // SAFETY: it came from the box above and is destroyed once, when the entry is taken out of the table.
            drop(unsafe { Box::from_raw(value.cast::<Option<T>>()) });
        };
        let slot = std::ptr::from_ref(self) as usize;
        rt.engine().kept.push(Kept { slot, object, value: value.cast(), destroy });
        Place { object, value, first_use: true }
    }

    /// The place of the present execution, if it has one.
    pub(crate) fn find_present(&self, rt: Rt) -> Option<Place<T>> {
        match self.home.find_present(rt) {
            Some(object) => Some(Place { object, value: self.value.get(), first_use: false }),
            None => self.find_kept(rt),
        }
    }

    fn find_kept(&self, rt: Rt) -> Option<Place<T>> {
        // A slot that no execution has used cannot be one of those, whatever lay at its address before.
        if rt.engine().kept.is_empty() || !self.home.is_used() {
            return None;
        }
        let slot = std::ptr::from_ref(self) as usize;
        let kept = rt.engine().kept.iter().find(|kept| kept.slot == slot)?;
        Some(Place { object: kept.object, value: kept.value.cast(), first_use: false })
    }

    /// The slot becomes new again; the value that it had.
    pub(crate) fn take(&mut self) -> Option<T> {
        self.home = Home::new();
        self.value.get_mut().take()
    }
}

thread_local! {
    static DESTROYING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread destroys a value of an execution that is over: what its destructor does is nobody's mistake.
pub(crate) fn is_destroying() -> bool {
    DESTROYING.with(Cell::get)
}

/// Runs a destructor outside any execution. If it panics, what is left of the value is lost.
pub(super) fn destroy_quietly(destroy: impl FnOnce()) {
    Rt::without(|| {
        let before = DESTROYING.with(|destroying| destroying.replace(true));
        if let Err(payload) = catch_unwind(AssertUnwindSafe(destroy)) {
            std::mem::forget(payload);
        }
        DESTROYING.with(|destroying| destroying.set(before));
    });
}

/// Whose turn it is to do what is done once.
pub(crate) enum Turn {
    /// It has been done.
    Done,
    /// The running task does it now; it says so with [`Rt::once_done`].
    Mine {
        /// A task has tried before and panicked.
        poisoned: bool,
    },
    /// A task has tried before and panicked.
    Poisoned,
}

/// How doing it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Complete,
    Poisoned,
    /// As if nobody had tried.
    Not,
}

impl Rt {
    /// Waits until no other task does it, and begins to unless it has been done, or has been poisoned and that matters.
    pub(crate) fn once_begin(self, object: usize, kind: OpKind, force: bool, source: Source) -> Turn {
        self.point_on(Op::new(kind, ObjectId(object as u32)), source);
        let state = &mut self.engine().objects[object];
        let poisoned = state.poisoned == Some(true);
        if state.count > 0 || (poisoned && !force) {
            let turn = if state.count > 0 { Turn::Done } else { Turn::Poisoned };
            self.touch_class(object, Access::Read);
            self.engine().execution.acquire(object, Access::Read);
            return turn;
        }
        self.hold(object);
        Turn::Mine { poisoned }
    }

    /// The running task has done it, or given up. A point, unless it panics.
    pub(crate) fn once_done(self, object: usize, done: impl FnOnce() -> Done, source: Source) {
        self.point_then(Op::new(OpKind::OnceDone, ObjectId(object as u32)), source, || {
            let state = &mut self.engine().objects[object];
            match done() {
                Done::Complete => state.count = 1,
                Done::Poisoned => state.poisoned = Some(true),
                Done::Not => {}
            }
            self.release(object);
        });
    }

    /// Whether it has been done.
    pub(crate) fn once_look(self, object: usize, kind: OpKind, source: Source) -> bool {
        self.point_on(Op::new(kind, ObjectId(object as u32)), source);
        self.touch_class(object, Access::Read);
        let done = self.engine().objects[object].count > 0;
        if done {
            self.engine().execution.acquire(object, Access::Read);
        }
        self.note(|| caissa_core::Note::Saw(done.to_string()));
        done
    }

    /// The execution is over: destroys what it has kept.
    pub(super) fn destroy_kept(self) {
        while let Some(kept) = self.engine().kept.pop() {
            // SAFETY: the value was made for this entry, which is gone; no task of the execution is left to use it.
            destroy_quietly(|| unsafe { (kept.destroy)(kept.value) });
        }
    }
}
