//! The atomic types: any two operations of two tasks on one atomic, for every type and operation.
#![allow(deprecated)]

use caissa::sync::atomic::*;

use crate::std_contention::{Covered, assert_gives, contend, every_search};

use Ordering::SeqCst;

/// Operations with their names; each returns what it saw as text.
type Operation<A> = (&'static str, fn(&A) -> String);

fn shown(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

/// For each pair of operations: all outcomes of two tasks, against the two orders in which std's atomic can have them.
fn pairs<A, S>(new: fn() -> A, ours: &[Operation<A>], new_std: fn() -> S, stds: &[Operation<S>])
where
    A: Send + Sync + 'static,
{
    let (look, look_at_std) = (ours[0].1, stds[0].1);
    for (&(first, one), &(_, one_of_std)) in ours.iter().zip(stds) {
        for (&(second, two), &(_, two_of_std)) in ours.iter().zip(stds) {
            // An operation of several steps, such as an update, can have another one in its middle; what it gives is still
            // what some order gives.
            let outcomes = move || {
                let (atomic, mine, theirs) = contend(new(), one, two);
                (first, mine, second, theirs, look(&atomic))
            };
            let before = {
                let atomic = new_std();
                (first, one_of_std(&atomic), second, two_of_std(&atomic), look_at_std(&atomic))
            };
            let after = {
                let atomic = new_std();
                let theirs = two_of_std(&atomic);
                (first, one_of_std(&atomic), second, theirs, look_at_std(&atomic))
            };
            assert_gives(every_search, 0, outcomes, [before, after]);
        }
    }
}

/// The programs of one type: its initial value, another one, and the operations that not all atomics have.
macro_rules! atomic {
    ($module:ident, $name:ident, $atomic:ty, $start:expr, $other:expr; $($operation:ident = $call:expr;)*) => {
        atomic! { @operations $module, $name, $atomic, $start, $other;
            load = |a| shown(a.load(SeqCst));
            store = |a| shown(a.store($other, SeqCst));
            swap = |a| shown(a.swap($other, SeqCst));
            compare_exchange = |a| shown(a.compare_exchange($start, $other, SeqCst, SeqCst));
            compare_exchange_weak = |a| shown(a.compare_exchange_weak($start, $other, SeqCst, SeqCst));
            compare_and_swap = |a| shown(a.compare_and_swap($other, $start, SeqCst));
            fetch_update = |a| shown(a.fetch_update(SeqCst, SeqCst, |v| (v == $start).then_some($other)));
            try_update = |a| shown(a.try_update(SeqCst, SeqCst, |v| (v != $start).then_some($start)));
            update = |a| shown(a.update(SeqCst, SeqCst, |v| if v == $start { $other } else { $start }));
            $($operation = $call;)*
        }
    };
    (@operations $module:ident, $name:ident, $atomic:ty, $start:expr, $other:expr; $($operation:ident = $call:expr;)*) => {
        mod $module {
            use super::*;

            pub const PAIRS: &[Covered] = &[$(Covered {
                program: concat!(module_path!(), "::any_two_operations_come_in_either_order"),
                items: &[concat!("sync::atomic::", stringify!($name), "::", stringify!($operation))],
                text: stringify!($call),
            }),*];

            mod with_std {
                use super::super::{Operation, shown};
                use std::sync::atomic::{*, Ordering::SeqCst};
                pub const OPERATIONS: &[Operation<$atomic>] = &[$((stringify!($operation), $call)),*];
                pub fn new() -> $atomic {
                    <$atomic>::new($start)
                }
            }

            mod with_caissa {
                use super::super::{Operation, shown};
                use caissa::sync::atomic::{*, Ordering::SeqCst};
                pub const OPERATIONS: &[Operation<$atomic>] = &[$((stringify!($operation), $call)),*];
                pub fn new() -> $atomic {
                    <$atomic>::new($start)
                }
            }

            #[test]
            fn any_two_operations_come_in_either_order() {
                pairs(with_caissa::new, with_caissa::OPERATIONS, with_std::new, with_std::OPERATIONS);
            }

            programs! {
                /// In the end its value can be seen and changed without an operation.
                fn an_atomic_holds_what_was_stored_last by every_search
                covers [
                    concat!("sync::atomic::", stringify!($name)),
                    concat!("sync::atomic::", stringify!($name), "::{new, load, store, get_mut, into_inner}"),
                ] {
                    let (mut atomic, (), seen) = contend(
                        <$atomic>::new($start),
                        |atomic| atomic.store($other, SeqCst),
                        |atomic| shown(atomic.load(SeqCst)),
                    );
                    let last = shown(std::mem::replace(atomic.get_mut(), $start));
                    let changed = shown(atomic.swap($other, SeqCst));
                    (seen, last, changed, shown(atomic.into_inner()))
                }
                within 0 faults gives
                    [$start, $other].map(|seen| (shown(seen), shown($other), shown($start), shown($other)));

                /// Nobody comes between two looks through the pointer.
                fn a_pointer_to_the_value_is_no_point by dfs
                covers [concat!("sync::atomic::", stringify!($name), "::as_ptr")] {
                    let (_, seen, ()) = contend(
                        <$atomic>::new($start),
                        |atomic| {
                            let _ = atomic.load(SeqCst);
                            // SAFETY: all tasks of a check run on one OS thread.
                            [(); 2].map(|()| shown(unsafe { *atomic.as_ptr() }))
                        },
                        |atomic| atomic.store($other, SeqCst),
                    );
                    seen
                }
                within 0 faults gives [$start, $other].map(|seen| [shown(seen), shown(seen)]);

                /// If it fails for no reason, what it found is what it expected, and nothing has changed.
                fn a_weak_exchange_fails_for_no_reason_by_a_fault by every_search
                covers [concat!("sync::atomic::", stringify!($name), "::{compare_exchange_weak, swap}")] {
                    let (_, exchanged, swapped) = contend(
                        <$atomic>::new($start),
                        |atomic| shown(atomic.compare_exchange_weak($start, $other, SeqCst, SeqCst)),
                        |atomic| shown(atomic.swap($other, SeqCst)),
                    );
                    (exchanged, swapped)
                }
                within 0 faults gives exchanged($start, $other);
                within 1 faults gives
                    exchanged($start, $other).into_iter().chain([(format!("Err({:?})", $start), shown($start))]);

                fn a_strong_exchange_never_fails_for_no_reason by every_search
                covers [concat!("sync::atomic::", stringify!($name), "::{compare_exchange, swap}")] {
                    let (_, exchanged, swapped) = contend(
                        <$atomic>::new($start),
                        |atomic| shown(atomic.compare_exchange($start, $other, SeqCst, SeqCst)),
                        |atomic| shown(atomic.swap($other, SeqCst)),
                    );
                    (exchanged, swapped)
                }
                within 1 faults gives exchanged($start, $other);

                /// How often it calls its closure, and what it replaces, for each kind of update.
                fn an_update_begins_again_if_another_task_came_between by every_search
                covers [concat!("sync::atomic::", stringify!($name), "::{fetch_update, try_update, update}")] {
                    [0, 1, 2].map(|kind| {
                        let (_, updated, swapped) = contend(
                            <$atomic>::new($start),
                            |atomic| {
                                let mut calls = 0;
                                let mut other = |value| {
                                    calls += 1;
                                    if value == $start { $other } else { $start }
                                };
                                let old = match kind {
                                    0 => atomic.fetch_update(SeqCst, SeqCst, |value| Some(other(value))).unwrap(),
                                    1 => atomic.try_update(SeqCst, SeqCst, |value| Some(other(value))).unwrap(),
                                    _ => atomic.update(SeqCst, SeqCst, other),
                                };
                                (calls, shown(old))
                            },
                            |atomic| shown(atomic.swap($other, SeqCst)),
                        );
                        (updated, swapped)
                    })
                }
                within 1 faults gives {
                    let (start, other) = (shown($start), shown($other));
                    let one = [
                        ((1, other.clone()), start.clone()),
                        ((2, other.clone()), start.clone()),
                        ((1, start), other),
                    ];
                    let of_three = |n: usize| [n % 3, n / 3 % 3, n / 9].map(|n| one[n].clone());
                    (0..27).map(of_three).collect::<Vec<_>>()
                };
            }
        }
    };
}

/// What an exchange and a swap that contend give: the exchange comes first, or finds another value.
fn exchanged<T: std::fmt::Debug>(start: T, other: T) -> [(String, String); 2] {
    [(format!("Ok({start:?})"), shown(&other)), (format!("Err({other:?})"), shown(&start))]
}

macro_rules! integers {
    ($($module:ident, $atomic:ident;)*) => { $(
        atomic! { $module, $atomic, $atomic, 5, 12;
            fetch_add = |a| shown(a.fetch_add(3, SeqCst));
            fetch_sub = |a| shown(a.fetch_sub(6, SeqCst));
            fetch_and = |a| shown(a.fetch_and(6, SeqCst));
            fetch_nand = |a| shown(a.fetch_nand(6, SeqCst));
            fetch_or = |a| shown(a.fetch_or(10, SeqCst));
            fetch_xor = |a| shown(a.fetch_xor(9, SeqCst));
            fetch_max = |a| shown(a.fetch_max(7, SeqCst));
            fetch_min = |a| shown(a.fetch_min(4, SeqCst));
            // Small if the type has a sign, else large.
            fetch_max = |a| shown(a.fetch_max(!2, SeqCst));
            fetch_min = |a| shown(a.fetch_min(!2, SeqCst));
        }
    )* };
}

integers! {
    u8s, AtomicU8;
    u16s, AtomicU16;
    u32s, AtomicU32;
    u64s, AtomicU64;
    usizes, AtomicUsize;
    i8s, AtomicI8;
    i16s, AtomicI16;
    i32s, AtomicI32;
    i64s, AtomicI64;
    isizes, AtomicIsize;
}

atomic! { bools, AtomicBool, AtomicBool, true, false;
    fetch_and = |a| shown(a.fetch_and(false, SeqCst));
    fetch_nand = |a| shown(a.fetch_nand(true, SeqCst));
    fetch_or = |a| shown(a.fetch_or(true, SeqCst));
    fetch_xor = |a| shown(a.fetch_xor(true, SeqCst));
    fetch_not = |a| shown(a.fetch_not(SeqCst));
}

const START: *mut u16 = std::ptr::without_provenance_mut(0x1000);
const OTHER: *mut u16 = std::ptr::without_provenance_mut(0x2003);

atomic! { pointers, AtomicPtr, AtomicPtr<u16>, crate::std_contention::atomics::START, crate::std_contention::atomics::OTHER;
    fetch_ptr_add = |a| shown(a.fetch_ptr_add(3, SeqCst));
    fetch_ptr_sub = |a| shown(a.fetch_ptr_sub(2, SeqCst));
    fetch_byte_add = |a| shown(a.fetch_byte_add(3, SeqCst));
    fetch_byte_sub = |a| shown(a.fetch_byte_sub(1, SeqCst));
    fetch_or = |a| shown(a.fetch_or(0x30, SeqCst));
    fetch_and = |a| shown(a.fetch_and(0xf0f0, SeqCst));
    fetch_xor = |a| shown(a.fetch_xor(0x11, SeqCst));
}

/// What the programs of all types cover.
pub fn covered() -> Vec<&'static Covered> {
    macro_rules! all {
        ($($module:ident)*) => { [$($module::PAIRS, $module::COVERED),*] };
    }
    all! { u8s u16s u32s u64s usizes i8s i16s i32s i64s isizes bools pointers }
        .into_iter()
        .flatten()
        .collect()
}
