//! The cells: as std's, and two tasks in one cell at a time are noticed. Races are in races.rs.

use crate::support::types_outcomes::{assert_says, finding, outcomes};
use caissa::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use caissa::sync::atomic::{AtomicBool, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, OpKind, Search, hint, thread};

/// Shares a cell between tasks.
struct Shared<T>(UnsafeCell<T>);
// SAFETY: the tests below say who is in the cell; all tasks of a check run on one OS thread.
unsafe impl<T: Send> Sync for Shared<T> {}

#[test]
fn a_panic_is_marked_once() {
    let report = Builder::new().preemptions(0).explore(|| {
        let cells = Arc::new([0, 0].map(|value| Shared(UnsafeCell::new(value))));
        let child = Arc::clone(&cells);
        thread::spawn(move || {
            child[0].0.with_mut(|_| ());
            thread::yield_now();
        });
        cells[1].0.with_mut(|_| ());
        panic!("here");
    });
    let text = report.unwrap().to_string();
    assert_eq!(text.matches("-- T0 panics --").count(), 1, "{text}");
    let (before, after) = text.split_once("-- T0 panics --").unwrap();
    assert!(before.contains("write cell#1") && !after.contains("write cell#"), "{text}");
}

#[test]
fn it_holds_a_value() {
    fn does() -> (u32, u32, String, u32) {
        let mut cell = UnsafeCell::new(1);
        // SAFETY: nobody else has the cell.
        unsafe { *cell.get() += 1 };
        // SAFETY: as above.
        cell.with_mut(|value| unsafe { *value += 1 });
        // SAFETY: as above.
        let read = cell.with(|value| unsafe { *value });
        *cell.get_mut() += 1;
        // SAFETY: as above.
        let raw = unsafe { *UnsafeCell::raw_get(&raw const cell) };
        let shown = format!("{:?} {:?}", UnsafeCell::<u8>::default(), UnsafeCell::from("text"));
        (read, raw, shown, cell.into_inner())
    }
    let expected = (3, 4, "UnsafeCell { .. } UnsafeCell { .. }".to_owned(), 4);
    assert_eq!(does(), expected);
    assert_eq!(outcomes(does), [expected].into());
    let shown =
        format!("{:?} {:?}", std::cell::UnsafeCell::<u8>::default(), std::cell::UnsafeCell::from("text"));
    assert_eq!(shown, does().2);
}

#[test]
fn cells_do_what_stds_do() {
    macro_rules! does {
        ($cell:ident, $ref_cell:ident, $once_cell:ident) => {{
            let (cell, other) = (<$cell<u32>>::new(1), <$cell<u32>>::from(2));
            cell.swap(&other);
            let mut seen = vec![cell.get(), other.get(), cell.replace(7), cell.take()];
            cell.set(5);
            cell.update(|n| n + 1);
            let mut copy = cell.clone();
            *copy.get_mut() += 1;
            seen.extend([cell.get(), copy.get(), copy.into_inner(), <$cell<u32>>::default().get()]);
            // SAFETY: nobody else has the cell.
            seen.push(unsafe { *cell.as_ptr() });
            let compared = (cell == other, cell < other, cell.cmp(&other), format!("{cell:?}"));
            let (cell, other) = (<$ref_cell<u32>>::new(1), <$ref_cell<u32>>::from(2));
            cell.swap(&other);
            *cell.borrow_mut() += 1;
            seen.extend([*cell.borrow(), other.replace(9), other.replace_with(|n| *n + 1), other.take()]);
            let mut copy = cell.clone();
            *copy.get_mut() += 1;
            // SAFETY: nobody else has the cell.
            seen.extend([copy.clone().into_inner(), unsafe { *copy.as_ptr() }]);
            // SAFETY: as above.
            seen.push(unsafe { *copy.try_borrow_unguarded().unwrap() });
            let refused = {
                let shared = cell.borrow();
                let refused =
                    (cell.try_borrow_mut().is_err(), cell.try_borrow().is_ok(), format!("{cell:?}"));
                drop(shared);
                let held = cell.borrow_mut();
                let twice = (cell.try_borrow().is_err(), format!("{cell:?}"));
                drop(held);
                (refused, twice)
            };
            let borrowed =
                (cell == copy, cell < copy, cell.cmp(&copy), *<$ref_cell<u32>>::default().borrow());
            let mut cell = <$once_cell<u32>>::new();
            let mut set =
                vec![cell.get().copied(), cell.set(1).err(), cell.set(2).err(), cell.get_mut().copied()];
            set.extend([Some(*cell.get_or_init(|| 3)), cell.clone().into_inner(), cell.take(), cell.take()]);
            set.push(Some(*cell.get_or_init(|| 4)));
            let empty = <$once_cell<u32>>::default();
            let once = (cell == empty, cell == <$once_cell<u32>>::from(4), format!("{cell:?} {empty:?}"));
            (seen, compared, refused, borrowed, set, once)
        }};
    }
    type StdCell<T> = std::cell::Cell<T>;
    type StdRefCell<T> = std::cell::RefCell<T>;
    type StdOnceCell<T> = std::cell::OnceCell<T>;
    let expected = does!(StdCell, StdRefCell, StdOnceCell);
    assert_eq!(does!(Cell, RefCell, OnceCell), expected);
    assert_eq!(outcomes(|| does!(Cell, RefCell, OnceCell)), [expected].into());
}

/// A lock made of an atomic; `careless` gives it back too early.
fn under_a_lock(careless: bool) -> u32 {
    let shared = Arc::new((AtomicBool::new(false), Shared(UnsafeCell::new(0u32))));
    let run = |shared: Arc<(AtomicBool, Shared<u32>)>| {
        move || {
            if shared.0.swap(true, SeqCst) {
                return;
            }
            shared.1.0.with_mut(|value| {
                if careless {
                    shared.0.store(false, SeqCst);
                }
                // SAFETY: the lock is held, or the check has noticed.
                unsafe { *value += 1 };
                thread::yield_now();
            });
            shared.0.store(false, SeqCst);
        }
    };
    let other = thread::spawn(run(Arc::clone(&shared)));
    run(Arc::clone(&shared))();
    other.join().unwrap();
    // SAFETY: nobody else is left.
    shared.1.0.with(|value| unsafe { *value })
}

#[test]
fn two_tasks_in_one_cell_are_found() {
    let (found, text) = finding(|| {
        under_a_lock(true);
    });
    assert_eq!(found.bug.kind(), "race");
    assert_says(&text, &["data race on cell#", "writes it at", "cell.rs", "write cell#"]);
    assert!(found.trace.events.iter().any(|event| event.aside && event.op.kind == OpKind::CellWrite));
    assert_eq!(outcomes(|| under_a_lock(false)), [1, 2].into());
}

#[test]
fn readers_do_not_disturb_each_other_and_a_task_does_not_disturb_itself() {
    let read = |writes: bool| {
        move || {
            let cell = Arc::new(Shared(UnsafeCell::new(5)));
            let other = {
                let cell = Arc::clone(&cell);
                thread::spawn(move || {
                    cell.0.with(|value| {
                        hint::spin_loop();
                        // SAFETY: nobody writes.
                        unsafe { *value }
                    })
                })
            };
            let mine = cell.0.with(|value| {
                thread::yield_now();
                // SAFETY: nobody writes, or the check has noticed.
                if writes { cell.0.with_mut(|value| unsafe { *value }) } else { unsafe { *value } }
            });
            assert_eq!((mine, other.join().unwrap()), (5, 5));
        }
    };
    Builder::new().search(Search::Dfs).check(read(false));
    let (_, text) = finding(read(true));
    assert_says(&text, &["data race", "reads it", "the first is not over"]);
    // By itself it may.
    Builder::new().check(|| {
        let cell = UnsafeCell::new(1);
        cell.with(|_| cell.with_mut(|_| cell.with_mut(|_| ())));
        cell.with_mut(|_| ());
    });
}

#[test]
fn a_pointer_counts_as_a_write_when_it_is_taken() {
    let (_, text) = finding(|| {
        let cell = Arc::new(Shared(UnsafeCell::new(1)));
        let other = {
            let cell = Arc::clone(&cell);
            thread::spawn(move || {
                // Up to its first operation a task runs at once.
                thread::yield_now();
                let _ = cell.0.get();
            })
        };
        cell.0.with(|_| thread::yield_now());
        other.join().unwrap();
    });
    assert_says(&text, &["T1 takes a pointer to it at", "task T0 (main) reads it", "data race"]);
}

#[test]
fn a_panic_leaves_the_cell() {
    let left = outcomes(|| {
        let cell = Arc::new(Shared(UnsafeCell::new(1)));
        let lock = Arc::new(Mutex::new(()));
        let other = {
            let (cell, lock) = (Arc::clone(&cell), Arc::clone(&lock));
            thread::spawn(move || {
                let _held = lock.lock();
                cell.0.with_mut(|_| panic!("in the cell"));
            })
        };
        let failed = other.join().is_err();
        cell.0.with_mut(|_| failed)
    });
    assert_eq!(left, [true].into());
}

#[test]
fn a_cell_that_outlives_an_execution_and_is_changed_is_refused() {
    static CELL: Shared<u32> = Shared(UnsafeCell::new(0));
    // SAFETY: one task has it.
    let error = Builder::new().explore(|| CELL.0.with_mut(|value| unsafe { *value += 1 })).unwrap_err();
    assert_says(&error.to_string(), &["the cell used at", "outlives an execution"]);
}
