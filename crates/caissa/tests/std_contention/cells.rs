//! Data cells, which tasks share under a lock: whoever comes second finds what the first one left.

use caissa::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use caissa::sync::Mutex;

use crate::std_contention::contend;

/// A cell and its lock.
struct Shared<C> {
    lock: Mutex<()>,
    cell: C,
}

// SAFETY: the programs below use the cell under the lock.
unsafe impl<C: Send> Sync for Shared<C> {}

impl<C> Shared<C> {
    fn new(cell: C) -> Shared<C> {
        Shared { lock: Mutex::new(()), cell }
    }

    fn with<R>(&self, f: impl FnOnce(&C) -> R) -> R {
        let _held = self.lock.lock();
        f(&self.cell)
    }
}

programs! {
    fn memory_is_written_through_a_pointer by every_search
    covers ["cell::UnsafeCell", "cell::UnsafeCell::{new, get, get_mut, into_inner}"] {
        let (mut shared, read, ()) = contend(
            Shared::new(UnsafeCell::new(1)),
            // SAFETY: the lock is held.
            |shared| shared.with(|cell| cell.with(|value| unsafe { *value })),
            // SAFETY: as above.
            |shared| shared.with(|cell| unsafe { *cell.get() += 1 }),
        );
        *shared.cell.get_mut() += 10;
        (read, shared.cell.into_inner())
    }
    within 0 faults gives [(1, 12), (2, 12)];

    fn a_cell_is_set_and_got by every_search
    covers ["cell::Cell", "cell::Cell::{new, set, get, get_mut, into_inner}"] {
        let (mut shared, got, ()) = contend(
            Shared::new(Cell::new(1)),
            |shared| shared.with(|cell| cell.get()),
            |shared| shared.with(|cell| cell.set(2)),
        );
        *shared.cell.get_mut() += 10;
        (got, shared.cell.into_inner())
    }
    within 0 faults gives [(1, 12), (2, 12)];

    fn cells_are_exchanged by every_search covers ["cell::Cell::{swap, replace, take, update, as_ptr}"] {
        let (shared, taken, replaced) = contend(
            Shared::new([Cell::new(1), Cell::new(2)]),
            |shared| {
                shared.with(|[cell, other]| {
                    cell.swap(other);
                    cell.update(|n| n + 10);
                    other.take()
                })
            },
            |shared| {
                shared.with(|[cell, _]| {
                    // SAFETY: the lock is held.
                    unsafe { *cell.as_ptr() += 100 };
                    cell.replace(5)
                })
            },
        );
        (taken, replaced, shared.cell.map(Cell::into_inner))
    }
    within 0 faults gives [(1, 112, [5, 0]), (5, 101, [12, 0])];

    fn a_value_is_borrowed by every_search
    covers ["cell::RefCell", "cell::RefCell::{new, borrow, borrow_mut, try_borrow, try_borrow_mut, get_mut, into_inner}"] {
        let (mut shared, seen, refused) = contend(
            Shared::new(RefCell::new(1)),
            |shared| {
                shared.with(|cell| {
                    let seen = *cell.borrow();
                    *cell.try_borrow_mut().unwrap() *= 3;
                    seen
                })
            },
            |shared| {
                shared.with(|cell| {
                    let mut held = cell.borrow_mut();
                    *held += 1;
                    cell.try_borrow().is_err()
                })
            },
        );
        *shared.cell.get_mut() += 10;
        (seen, refused, shared.cell.into_inner())
    }
    within 0 faults gives [(1, true, 14), (2, true, 16)];

    fn borrowed_values_are_exchanged by every_search
    covers ["cell::RefCell::{replace, replace_with, swap, take, as_ptr, try_borrow_unguarded}"] {
        let (shared, seen, taken) = contend(
            Shared::new([RefCell::new(1), RefCell::new(2)]),
            |shared| {
                shared.with(|[cell, other]| {
                    cell.swap(other);
                    let before = cell.replace_with(|n| *n + 10);
                    // SAFETY: the lock is held, and the reference is gone at once.
                    (before, other.replace(7), unsafe { *cell.try_borrow_unguarded().unwrap() })
                })
            },
            |shared| {
                shared.with(|[cell, other]| {
                    // SAFETY: the lock is held.
                    unsafe { *cell.as_ptr() += 100 };
                    other.take()
                })
            },
        );
        (seen, taken, shared.cell.map(RefCell::into_inner))
    }
    within 0 faults gives [((2, 1, 12), 7, [112, 0]), ((0, 101, 10), 2, [10, 7])];

    fn a_cell_is_set_once by every_search
    covers ["cell::OnceCell", "cell::OnceCell::{new, get, set, get_or_init, get_mut, take, into_inner}"] {
        let (mut shared, set, made) = contend(
            Shared::new(OnceCell::new()),
            |shared| shared.with(|cell| (cell.get().copied(), cell.set(1))),
            |shared| shared.with(|cell| *cell.get_or_init(|| 2)),
        );
        *shared.cell.get_mut().unwrap() += 10;
        (set, made, shared.cell.take(), shared.cell.into_inner())
    }
    within 0 faults gives [((None, Ok(())), 1, Some(11), None), ((Some(2), Err(1)), 2, Some(12), None)];
}
