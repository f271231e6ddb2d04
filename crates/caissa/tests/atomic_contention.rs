//! Two tasks do any two operations on one atomic: what can be seen is what either order gives, for every type and operation.

#[path = "support/types_outcomes.rs"]
mod types_outcomes;

use std::collections::BTreeSet;

use caissa::sync::Arc;
use caissa::sync::atomic::*;
use caissa::{Builder, Search, thread};
use types_outcomes::outcomes_within;

use Ordering::SeqCst;

/// Operations with their names; each returns what it saw as text.
type Operation<A> = (&'static str, fn(&A) -> String);

fn shown(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

/// For each pair of operations: all outcomes of two tasks, against the two orders in which one task can do them.
fn pairs<A: Send + Sync + 'static>(new: fn() -> A, operations: &[Operation<A>]) {
    let look = operations[0].1;
    for &(first, one) in operations {
        for &(second, two) in operations {
            // An operation of several steps, such as an update, can have another one in its middle; what it gives is still
            // what some order gives.
            let seen = outcomes_within(0, move || {
                let atomic = Arc::new(new());
                let other = {
                    let atomic = Arc::clone(&atomic);
                    thread::spawn(move || two(&atomic))
                };
                let mine = one(&atomic);
                let theirs = other.join().unwrap();
                (mine, theirs, look(&atomic))
            });
            let before = {
                let atomic = new();
                (one(&atomic), two(&atomic), look(&atomic))
            };
            let after = {
                let atomic = new();
                let theirs = two(&atomic);
                (one(&atomic), theirs, look(&atomic))
            };
            assert_eq!(seen, BTreeSet::from([before, after]), "{first} and {second}");
        }
    }
}

/// The operations of all atomics; the first one looks at the value.
macro_rules! common {
    ($atomic:ty, $start:expr, $other:expr $(, $more:expr)* $(,)?) => {{
        let operations: &[Operation<$atomic>] = &[
            ("load", |a| shown(a.load(SeqCst))),
            ("store", |a| shown(a.store($other, SeqCst))),
            ("swap", |a| shown(a.swap($other, SeqCst))),
            ("compare_exchange", |a| shown(a.compare_exchange($start, $other, SeqCst, SeqCst))),
            ("compare_exchange_weak", |a| shown(a.compare_exchange_weak($start, $other, SeqCst, SeqCst))),
            #[allow(deprecated)]
            ("compare_and_swap", |a| shown(a.compare_and_swap($other, $start, SeqCst))),
            ("fetch_update", |a| shown(a.fetch_update(SeqCst, SeqCst, |v| (v == $start).then_some($other)))),
            ("try_update", |a| shown(a.try_update(SeqCst, SeqCst, |v| (v != $start).then_some($start)))),
            ("update", |a| shown(a.update(SeqCst, SeqCst, |v| if v == $start { $other } else { $start }))),
            $($more,)*
        ];
        pairs(|| <$atomic>::new($start), operations);
    }};
}

macro_rules! integers {
    ($($test:ident, $atomic:ident;)*) => { $(
        #[test]
        fn $test() {
            common!(
                $atomic, 5, 12,
                ("fetch_add", |a| shown(a.fetch_add(3, SeqCst))),
                ("fetch_sub", |a| shown(a.fetch_sub(2, SeqCst))),
                ("fetch_and", |a| shown(a.fetch_and(6, SeqCst))),
                ("fetch_nand", |a| shown(a.fetch_nand(6, SeqCst))),
                ("fetch_or", |a| shown(a.fetch_or(10, SeqCst))),
                ("fetch_xor", |a| shown(a.fetch_xor(9, SeqCst))),
                ("fetch_max", |a| shown(a.fetch_max(7, SeqCst))),
                ("fetch_min", |a| shown(a.fetch_min(4, SeqCst))),
            );
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

#[test]
fn bools() {
    common!(
        AtomicBool,
        true,
        false,
        ("fetch_and", |a| shown(a.fetch_and(false, SeqCst))),
        ("fetch_nand", |a| shown(a.fetch_nand(true, SeqCst))),
        ("fetch_or", |a| shown(a.fetch_or(true, SeqCst))),
        ("fetch_xor", |a| shown(a.fetch_xor(true, SeqCst))),
        ("fetch_not", |a| shown(a.fetch_not(SeqCst))),
    );
}

const START: *mut u16 = std::ptr::without_provenance_mut(0x1000);
const OTHER: *mut u16 = std::ptr::without_provenance_mut(0x2003);

#[test]
fn pointers() {
    common!(
        AtomicPtr<u16>,
        START,
        OTHER,
        ("fetch_ptr_add", |a| shown(a.fetch_ptr_add(3, SeqCst))),
        ("fetch_ptr_sub", |a| shown(a.fetch_ptr_sub(2, SeqCst))),
        ("fetch_byte_add", |a| shown(a.fetch_byte_add(3, SeqCst))),
        ("fetch_byte_sub", |a| shown(a.fetch_byte_sub(1, SeqCst))),
        ("fetch_or", |a| shown(a.fetch_or(0x30, SeqCst))),
        ("fetch_and", |a| shown(a.fetch_and(0xf0f0, SeqCst))),
        ("fetch_xor", |a| shown(a.fetch_xor(0x11, SeqCst))),
    );
}

/// What is done through a pointer is no point: the value is there, and nothing comes between.
#[test]
fn a_pointer_to_the_value_is_no_point() {
    let report = Builder::new().search(Search::Dfs).explore(|| {
        let number = Arc::new(AtomicU32::new(1));
        let other = {
            let number = Arc::clone(&number);
            // SAFETY: all tasks of a check run on one OS thread.
            thread::spawn(move || unsafe { *number.as_ptr() += 1 })
        };
        other.join().unwrap();
        assert_eq!(number.load(SeqCst), 2);
    });
    // Main can only join and the other task only end.
    assert_eq!(report.unwrap().executions(), 1);
}
