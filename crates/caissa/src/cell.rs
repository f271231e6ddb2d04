//! Drop-in replacements for [`std::cell`].
//!
//! [`UnsafeCell`] is what lock-free code keeps its plain memory in. The other cells are std's: they cannot be shared between
//! tasks.

use std::fmt;
use std::panic::Location;

use caissa_core::{ObjectId, ObjectKind, Op, OpKind, Source, TaskId};

use crate::rt::{self, Home, Rt};

pub use std::cell::{BorrowError, BorrowMutError, Cell, LazyCell, OnceCell, Ref, RefCell, RefMut};

/// Plain memory that tasks may share; see [`std::cell::UnsafeCell`].
///
/// [`UnsafeCell::with`] and [`UnsafeCell::with_mut`] say from when to when a task reads or writes. They are no scheduling
/// points, but if the closure has one, and another task then comes to the same cell and one of the two writes, that task
/// panics: in reality both could have been there at a time. [`UnsafeCell::get`] counts as a write at that moment only; what
/// is done through the pointer later is not seen. Accesses are in the trace. That two accesses are not ordered by anything
/// is not noticed yet.
pub struct UnsafeCell<T: ?Sized> {
    home: Home,
    value: std::cell::UnsafeCell<T>,
}

/// What a task does with a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell { home: Home::new(), value: std::cell::UnsafeCell::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// A pointer to the value of a cell to which there may be no reference yet. It is not seen as an access.
    pub const fn raw_get(this: *const UnsafeCell<T>) -> *mut T {
        // The pointer need not point anywhere, so this only counts.
        this.wrapping_byte_add(std::mem::offset_of!(UnsafeCell<T>, value)).cast::<T>().cast_mut()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer for reading. The pointer must not be used afterwards.
    ///
    /// # Panics
    /// Inside a check, if another task is writing.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let _using = self.begin(Use::Read, Location::caller());
        f(self.value.get())
    }

    /// Calls `f` with a pointer for reading and writing. The pointer must not be used afterwards.
    ///
    /// # Panics
    /// Inside a check, if another task is reading or writing.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let _using = self.begin(Use::Write, Location::caller());
        f(self.value.get())
    }

    /// A pointer to the value. It counts as a write now.
    ///
    /// # Panics
    /// Inside a check, if another task is reading or writing through [`UnsafeCell::with`] or [`UnsafeCell::with_mut`].
    #[track_caller]
    pub fn get(&self) -> *mut T {
        drop(self.begin(Use::Write, Location::caller()));
        self.value.get()
    }

    /// The value, which nobody else can have.
    pub fn get_mut(&mut self) -> &mut T {
        self.home = Home::new();
        self.value.get_mut()
    }

    /// The one place where an access begins.
    #[inline]
    fn begin(&self, kind: Use, source: Source) -> Option<Using> {
        let Some(rt) = rt::inside() else {
            if let Some(peek) = rt::peek() {
                match kind {
                    Use::Read => peek.read_cell(&self.home, source),
                    Use::Write => peek.refuse(format!("writes to a cell at {source}, or may do so")),
                }
            }
            return None;
        };
        let object = self.home.find(rt, ObjectKind::Cell, source, || false);
        if kind == Use::Write {
            self.home.mark_changed();
        }
        rt.begin_use(object, kind, source);
        Some(Using { rt, object, kind, task: rt.current() })
    }
}

/// A task uses a cell until this is dropped.
struct Using {
    rt: Rt,
    object: usize,
    kind: Use,
    task: TaskId,
}

impl Drop for Using {
    fn drop(&mut self) {
        let state = &mut self.rt.engine().objects[self.object];
        match self.kind {
            Use::Write => {
                state.count -= 1;
                state.holder = state.holder.filter(|_| state.count > 0);
            }
            Use::Read => {
                if let Some(index) = state.queue.iter().position(|&task| task == self.task) {
                    state.queue.swap_remove(index);
                }
            }
        }
    }
}

impl Rt {
    #[track_caller]
    fn begin_use(self, object: usize, kind: Use, source: Source) {
        let me = self.current();
        let op = match kind {
            Use::Read => OpKind::CellRead,
            Use::Write => OpKind::CellWrite,
        };
        self.engine().execution.aside(Op::new(op, ObjectId(object as u32)), source);
        let state = &mut self.engine().objects[object];
        let writer = state.holder.filter(|&writer| writer != me);
        let reader = state.queue.iter().copied().find(|&reader| kind == Use::Write && reader != me);
        if let Some(other) = writer.or(reader)
            && !std::thread::panicking()
        {
            let does = |writes: bool| if writes { "writes" } else { "reads" };
            panic!(
                "two accesses of a cell overlap: task {me} {} it at {source} while task {other} {} it. In reality both could \
                 happen at the same time. Hold a lock, or leave `with` or `with_mut` before others can come",
                does(kind == Use::Write),
                does(writer.is_some()),
            );
        }
        match kind {
            Use::Write => {
                state.holder = Some(me);
                state.count += 1;
            }
            Use::Read => state.queue.push(me),
        }
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
