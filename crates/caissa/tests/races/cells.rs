//! What counts as an access of which cell, and when.

use std::sync::Arc;

use caissa::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use caissa::sync::Mutex;
use caissa::sync::atomic::{AtomicBool, Ordering::SeqCst};
use caissa::{Builder, Verdict, thread};

use crate::support::racing::{Data, both, ignore, is_silent, races};

/// Cells that claim to be shared.
#[derive(Default)]
struct Cells {
    plain: Cell<u32>,
    other: Cell<u32>,
    borrowed: RefCell<u32>,
    once: OnceCell<u32>,
    lock: Mutex<()>,
}

// SAFETY: not at all; all tasks of a check run on one OS thread.
unsafe impl Sync for Cells {}

type Does = fn(&Cells);

#[track_caller]
fn expect(race: bool, one: Does, other: Does) {
    let program = move || {
        let cells = Arc::new(Cells::default());
        let tasks = [one, other].map(|does| {
            let cells = Arc::clone(&cells);
            thread::spawn(move || does(&cells))
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    if race {
        races(program);
    } else {
        is_silent(program);
    }
    // Under a lock none of them races.
    is_silent(move || {
        let cells = Arc::new(Cells::default());
        let tasks = [one, other].map(|does| {
            let cells = Arc::clone(&cells);
            thread::spawn(move || {
                let _held = cells.lock.lock();
                does(&cells);
            })
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
    });
}

#[test]
fn a_cell_is_read_and_written() {
    let get: Does = |cells| ignore(cells.plain.get());
    expect(false, get, get);
    let writes: [Does; 7] = [
        |cells| cells.plain.set(1),
        |cells| ignore(cells.plain.replace(1)),
        |cells| ignore(cells.plain.take()),
        |cells| cells.plain.update(|n| n + 1),
        |cells| cells.plain.swap(&cells.other),
        |cells| cells.other.swap(&cells.plain),
        |cells| ignore(cells.plain.as_ptr()),
    ];
    for write in writes {
        expect(true, write, get);
    }
    expect(false, |cells| cells.other.set(1), get);
    expect(false, |cells| ignore(cells.plain == cells.plain.clone()), get);
}

#[test]
fn every_borrow_writes() {
    let borrow: Does = |cells| ignore(cells.borrowed.borrow());
    let borrows: [Does; 6] = [
        borrow,
        |cells| ignore(cells.borrowed.borrow_mut()),
        |cells| ignore(cells.borrowed.try_borrow()),
        |cells| ignore(cells.borrowed.try_borrow_mut()),
        |cells| ignore(cells.borrowed.replace(1)),
        |cells| ignore(cells.borrowed.take()),
    ];
    for other in borrows {
        expect(true, other, borrow);
    }
}

#[test]
fn a_once_cell_is_written_once() {
    let get: Does = |cells| ignore(cells.once.get());
    expect(false, get, get);
    expect(true, |cells| ignore(cells.once.set(1)), get);
    expect(true, |cells| ignore(cells.once.get_or_init(|| 1)), get);
    // Once it has been set it is only read.
    is_silent(|| {
        let cells = Arc::new(Cells::default());
        cells.once.set(7).unwrap();
        let other = {
            let cells = Arc::clone(&cells);
            thread::spawn(move || (cells.once.set(8), *cells.once.get_or_init(|| 9)))
        };
        assert_eq!(cells.once.get(), Some(&7));
        assert_eq!(other.join().unwrap(), (Err(8), 7));
    });
}

#[test]
fn a_pointer_is_a_write_when_it_is_taken() {
    races(|| both(Data::default(), |data| ignore(data.cell().get()), |data| ignore(data.get())));
    races(|| both(Data::default(), |data| ignore(data.cell().get()), |data| ignore(data.cell().get())));
}

#[test]
fn nobody_else_has_what_is_borrowed_mutably() {
    // The same memory, another cell.
    is_silent(|| {
        let data = Data::default();
        thread::scope(|scope| {
            scope.spawn(|| data.set(1));
        });
        let mut cell = UnsafeCell::new(data);
        *cell.get_mut() = Data::default();
        let data = cell.into_inner();
        thread::scope(|scope| {
            scope.spawn(|| data.set(1));
        });
    });
}

#[test]
fn an_access_lasts_until_its_closure_returns() {
    struct Held {
        data: Data,
        held: AtomicBool,
    }
    let program = |early: bool| {
        move || {
            let new = Held { data: Data::default(), held: AtomicBool::new(false) };
            let shared = Arc::new(new);
            let others = [0, 1].map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    if shared.held.swap(true, SeqCst) {
                        return;
                    }
                    shared.data.cell().with_mut(|_| {
                        if early {
                            shared.held.store(false, SeqCst);
                        }
                    });
                    shared.held.store(false, SeqCst);
                })
            });
            others.into_iter().for_each(|other| other.join().unwrap());
        }
    };
    is_silent(program(false));
    let (finding, text) = races(program(true));
    assert!(matches!(finding.bug, caissa::Bug::Race { .. }));
    assert!(text.contains("data race on cell#"), "{text}");
}

#[test]
fn a_task_does_not_race_with_itself() {
    is_silent(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || data.cell().with(|_| data.cell().with_mut(|_| data.set(1))))
        };
        other.join().unwrap();
        data.cell().with_mut(|_| data.get());
    });
}

#[test]
fn cells_that_only_some_schedules_share_are_seen_too() {
    // The first execution has no access beside another task: the search begins without clocks, and then again with them.
    let program = || {
        let shared = Arc::new((AtomicBool::new(false), AtomicBool::new(false), Data::default()));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0.store(true, SeqCst);
                if shared.1.load(SeqCst) {
                    shared.2.set(1);
                }
                shared.0.store(false, SeqCst);
            })
        };
        if shared.0.load(SeqCst) {
            shared.1.store(true, SeqCst);
            shared.2.set(2);
        }
        other.join().unwrap();
    };
    let report = Builder::new().explore(program).unwrap();
    assert_eq!((report.verdict, report.finding.unwrap().bug.kind()), (Verdict::Bug, "race"));
    for workers in [1, 2, 3] {
        let report = Builder::new().preemptions(2).workers(workers).explore(program).unwrap();
        let finding = report.finding.expect("found again");
        assert_eq!((finding.bug.kind(), finding.preemptions), ("race", 2), "{workers} workers");
    }
}

#[test]
fn accesses_while_a_task_panics_are_not_looked_at() {
    struct AtEnd(Arc<Data>);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            self.0.set(1);
        }
    }
    let report = Builder::new().explore(|| {
        let data = Arc::new(Data::default());
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                thread::yield_now();
                let _at_end = AtEnd(Arc::clone(&data));
                panic!("with data on the stack");
            })
        };
        data.get();
        let _ = other.join();
    });
    let report = report.unwrap();
    assert!(report.finding.is_none(), "{report}");
}
