//! Edges by memory orderings.

use caissa::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use caissa::sync::atomic::{AtomicU32, fence};
use caissa::{Builder, thread};

use crate::support::racing::{Data, both, ignore, is_silent, races};

#[derive(Default)]
struct Shared {
    data: Data,
    flag: AtomicU32,
    /// How the flag is set and looked at.
    how: (Option<Set>, Option<Look>),
}

type Set = fn(&AtomicU32);
/// True if the flag was set.
type Look = fn(&AtomicU32) -> bool;

/// One task writes and sets the flag; the other looks at it and reads.
fn message(set: Set, look: Look) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let shared = Shared { how: (Some(set), Some(look)), ..Shared::default() };
        both(
            shared,
            |shared| {
                shared.data.set(1);
                shared.how.0.unwrap()(&shared.flag);
            },
            |shared| {
                if shared.how.1.unwrap()(&shared.flag) {
                    assert_eq!(shared.data.get(), 1);
                }
            },
        );
    }
}

#[track_caller]
fn expect(ordered: bool, set: Set, look: Look) {
    if ordered {
        is_silent(message(set, look));
    } else {
        races(message(set, look));
    }
}

const STORES: [(Set, bool); 3] = [
    (|flag| flag.store(1, Relaxed), false),
    (|flag| flag.store(1, Release), true),
    (|flag| flag.store(1, SeqCst), true),
];

const LOADS: [(Look, bool); 3] = [
    (|flag| flag.load(Relaxed) == 1, false),
    (|flag| flag.load(Acquire) == 1, true),
    (|flag| flag.load(SeqCst) == 1, true),
];

#[test]
fn a_store_orders_by_release_and_a_load_by_acquire() {
    for (set, releases) in STORES {
        for (look, acquires) in LOADS {
            expect(releases && acquires, set, look);
        }
    }
}

#[test]
fn updates_order_by_their_ordering() {
    let sets: [(Set, bool); 7] = [
        (|flag| ignore(flag.fetch_add(1, Relaxed)), false),
        (|flag| ignore(flag.fetch_add(1, Acquire)), false),
        (|flag| ignore(flag.fetch_add(1, Release)), true),
        (|flag| ignore(flag.swap(1, AcqRel)), true),
        (|flag| ignore(flag.fetch_or(1, SeqCst)), true),
        (|flag| ignore(flag.compare_exchange(0, 1, Acquire, Relaxed)), false),
        (|flag| ignore(flag.compare_exchange(0, 1, Release, Relaxed)), true),
    ];
    for (set, ordered) in sets {
        expect(ordered, set, |flag| flag.load(Acquire) == 1);
    }
    let looks: [(Look, bool); 6] = [
        (|flag| flag.fetch_add(0, Relaxed) == 1, false),
        (|flag| flag.fetch_add(0, Release) == 1, false),
        (|flag| flag.fetch_add(0, Acquire) == 1, true),
        (|flag| flag.swap(2, AcqRel) == 1, true),
        (|flag| flag.compare_exchange(1, 2, Relaxed, Relaxed).is_ok(), false),
        (|flag| flag.compare_exchange(1, 2, Acquire, Relaxed).is_ok(), true),
    ];
    for (look, ordered) in looks {
        expect(ordered, |flag| flag.store(1, Release), look);
    }
}

#[test]
fn a_compare_exchange_that_fails_is_a_load_with_its_failure_ordering() {
    let set: Set = |flag| flag.store(1, Release);
    expect(true, set, |flag| flag.compare_exchange(7, 8, Relaxed, Acquire) == Err(1));
    expect(false, set, |flag| flag.compare_exchange(7, 8, Acquire, Relaxed) == Err(1));
    // As the one that sets the flag it hands on nothing.
    expect(
        false,
        |flag| ignore(flag.compare_exchange(0, 1, Relaxed, SeqCst)),
        |flag| flag.load(Acquire) == 1,
    );
}

#[test]
fn a_weak_compare_exchange_that_fails_for_no_reason_does_not_order() {
    let program = |failure: Ordering| {
        move || {
            let shared = std::sync::Arc::new(Shared::default());
            let other = {
                let shared = std::sync::Arc::clone(&shared);
                thread::spawn(move || {
                    shared.data.set(1);
                    shared.flag.store(1, Release);
                })
            };
            if shared.flag.compare_exchange_weak(1, 2, Acquire, failure) == Err(1) {
                shared.data.get();
            }
            other.join().unwrap();
        }
    };
    races(program(Relaxed));
    is_silent(program(Acquire));
}

#[test]
fn fences_order_relaxed_operations() {
    let set: Set = |flag| {
        fence(Release);
        flag.store(1, Relaxed);
    };
    let look: Look = |flag| {
        let set = flag.load(Relaxed) == 1;
        fence(Acquire);
        set
    };
    let relaxed: (Set, Look) = (|flag| flag.store(1, Relaxed), |flag| flag.load(Relaxed) == 1);
    expect(true, set, look);
    expect(true, set, |flag| flag.load(Acquire) == 1);
    expect(true, |flag| flag.store(1, Release), look);
    expect(false, set, relaxed.1);
    expect(false, relaxed.0, look);
    // A fence on the wrong side of its operation, or of the wrong kind.
    expect(
        false,
        |flag| {
            flag.store(1, Relaxed);
            fence(SeqCst);
        },
        look,
    );
    expect(false, set, |flag| {
        fence(SeqCst);
        flag.load(Relaxed) == 1
    });
    expect(
        false,
        |flag| {
            fence(Acquire);
            flag.store(1, Relaxed);
        },
        look,
    );
    expect(false, set, |flag| {
        let set = flag.load(Relaxed) == 1;
        fence(Release);
        set
    });
    for both in [AcqRel, SeqCst] {
        match both {
            AcqRel => expect(
                true,
                |flag| {
                    fence(AcqRel);
                    flag.fetch_add(1, Relaxed);
                },
                |flag| {
                    let set = flag.load(Relaxed) == 1;
                    fence(AcqRel);
                    set
                },
            ),
            _ => expect(
                true,
                |flag| {
                    fence(SeqCst);
                    flag.store(1, Relaxed);
                },
                |flag| {
                    let set = flag.load(Relaxed) == 1;
                    fence(SeqCst);
                    set
                },
            ),
        }
    }
}

/// A third task comes between the store and the load.
fn through(between: Set) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let shared = std::sync::Arc::new(Shared::default());
        let tasks = [0, 1].map(|number| {
            let shared = std::sync::Arc::clone(&shared);
            thread::spawn(move || match number {
                0 => {
                    shared.data.set(1);
                    shared.flag.store(1, Release);
                }
                _ => between(&shared.flag),
            })
        });
        if shared.flag.load(Acquire) == 2 {
            shared.data.get();
        }
        for task in tasks {
            task.join().unwrap();
        }
    }
}

#[test]
fn a_release_sequence_goes_on_by_updates_and_ends_with_a_store() {
    let added: Set = |flag| ignore(flag.compare_exchange(1, 2, Relaxed, Relaxed));
    let released: Set = |flag| ignore(flag.compare_exchange(1, 2, Release, Relaxed));
    let stored: Set = |flag| {
        if flag.load(Relaxed) == 1 {
            flag.store(2, Relaxed);
        }
    };
    let released_store: Set = |flag| {
        if flag.load(Relaxed) == 1 {
            flag.store(2, Release);
        }
    };
    let acquired_store: Set = |flag| {
        if flag.load(Acquire) == 1 {
            flag.store(2, Release);
        }
    };
    is_silent(through(added));
    is_silent(through(released));
    races(through(stored));
    races(through(released_store));
    is_silent(through(acquired_store));
}

#[test]
fn a_later_relaxed_store_of_the_same_task_hands_on_nothing() {
    let program = |again: Ordering| {
        move || {
            let shared = std::sync::Arc::new(Shared::default());
            let other = {
                let shared = std::sync::Arc::clone(&shared);
                thread::spawn(move || {
                    shared.data.set(1);
                    shared.flag.store(1, Release);
                    shared.flag.store(2, again);
                })
            };
            if shared.flag.load(Acquire) == 2 {
                shared.data.get();
            }
            other.join().unwrap();
        }
    };
    races(program(Relaxed));
    is_silent(program(Release));
}

#[test]
fn reads_do_not_race_and_what_was_read_does() {
    let reads = || {
        both(Shared::default(), |shared| ignore(shared.data.get()), |shared| ignore(shared.data.get()));
    };
    is_silent(reads);
    // The reader must be done before it is written again.
    let program = |order: Ordering| {
        move || {
            let shared = std::sync::Arc::new(Shared::default());
            let other = {
                let shared = std::sync::Arc::clone(&shared);
                thread::spawn(move || {
                    shared.data.get();
                    shared.flag.store(1, order);
                })
            };
            if shared.flag.load(Acquire) == 1 {
                shared.data.set(1);
            }
            other.join().unwrap();
        }
    };
    races(program(Relaxed));
    is_silent(program(Release));
}

#[test]
fn a_race_is_found_whatever_the_schedule_of_the_rest() {
    // One execution is enough, whichever comes first.
    let report = Builder::new().preemptions(0).explore(|| {
        both(Shared::default(), |shared| shared.data.set(1), |shared| ignore(shared.data.get()));
    });
    let report = report.unwrap();
    assert_eq!((report.executions(), report.finding.unwrap().bug.kind()), (1, "race"));
}

#[test]
fn what_a_task_learns_after_a_release_is_not_handed_on_by_it() {
    #[derive(Default)]
    struct Shared {
        data: Data,
        first: AtomicU32,
        second: AtomicU32,
        between: AtomicU32,
        last: AtomicU32,
    }
    let program = |late: bool| {
        move || {
            let shared = std::sync::Arc::new(Shared::default());
            let tasks = [0, 1].map(|number| {
                let shared = std::sync::Arc::clone(&shared);
                thread::spawn(move || {
                    if number == 0 {
                        shared.first.store(1, Release);
                        shared.data.set(1);
                        shared.second.store(1, Release);
                    } else if shared.first.load(Acquire) == 1 {
                        if !late {
                            shared.between.store(1, Release);
                        }
                        if shared.second.load(Acquire) == 1 {
                            if late {
                                shared.between.store(1, Release);
                            }
                            shared.last.store(1, Relaxed);
                        }
                    }
                })
            });
            if shared.last.load(Relaxed) == 1 && shared.between.load(Acquire) == 1 {
                shared.data.get();
            }
            tasks.into_iter().for_each(|task| task.join().unwrap());
        }
    };
    races(program(false));
    is_silent(program(true));
}
