//! Plain memory, fences and spinning.
#![allow(deprecated)]

use caissa::cell::UnsafeCell;
use caissa::hint;
use caissa::sync::atomic::{
    ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT, AtomicU32, Ordering::Relaxed, Ordering::SeqCst,
    fence, spin_loop_hint,
};
use caissa::thread;

use crate::std_contention::contend;

/// A cell that tasks share.
struct Shared(UnsafeCell<u32>);

// SAFETY: all tasks of a check run on one OS thread, and no reference to the value is kept.
unsafe impl Sync for Shared {}

/// What is read through a pointer, without a point, after each of two calls of `point`, while another task stores 1.
fn seen_after(point: fn()) -> [u32; 2] {
    let (_, seen, ()) = contend(
        AtomicU32::new(0),
        |number| {
            [(); 2].map(|()| {
                point();
                // SAFETY: all tasks of a check run on one OS thread.
                unsafe { *number.as_ptr() }
            })
        },
        |number| number.store(1, SeqCst),
    );
    seen
}

programs! {
    /// A raw pointer is no access: it is not refused, and what is written through it is there.
    fn raw_pointers_to_cells_are_not_seen by dfs covers ["cell::UnsafeCell::raw_get"] {
        let (shared, read, ()) = contend(
            Shared(UnsafeCell::new(0)),
            |Shared(cell)| {
                thread::yield_now();
                cell.with(|value| {
                    // SAFETY: the value is there, and nobody has a reference to it.
                    let first = unsafe { *value };
                    thread::yield_now();
                    // SAFETY: as above.
                    (first, unsafe { *value })
                })
            },
            |Shared(cell)| {
                thread::yield_now();
                // SAFETY: as above.
                unsafe { *UnsafeCell::raw_get(cell) = 7 }
            },
        );
        (read, shared.0.into_inner())
    }
    within 0 faults gives [((7, 7), 7), ((0, 7), 7), ((0, 0), 7)];

    /// Another task comes before, between or after.
    fn spinning_lets_others_go_on by dfs covers ["hint::spin_loop"] {
        seen_after(hint::spin_loop)
    }
    within 0 faults gives [[0, 0], [0, 1], [1, 1]];

    fn a_hint_to_spin_lets_others_go_on by dfs covers ["sync::atomic::spin_loop_hint"] {
        seen_after(spin_loop_hint)
    }
    within 0 faults gives [[0, 0], [0, 1], [1, 1]];

    /// Each stores and then looks at what the other stores: at least one sees it.
    fn fences_keep_stores_before_loads by every_search covers ["sync::atomic::fence"] {
        let (_, mine, theirs) = contend(
            [AtomicU32::new(0), AtomicU32::new(0)],
            |[x, y]| {
                x.store(1, Relaxed);
                fence(SeqCst);
                y.load(Relaxed)
            },
            |[x, y]| {
                y.store(1, Relaxed);
                fence(SeqCst);
                x.load(Relaxed)
            },
        );
        (mine, theirs)
    }
    within 0 faults gives [(0, 1), (1, 0), (1, 1)];

    /// Since a fence is no point, nobody comes between two looks that only a fence parts.
    fn a_fence_is_no_point by dfs covers ["sync::atomic::fence"] {
        let (_, seen, ()) = contend(
            AtomicU32::new(0),
            |number| {
                number.load(SeqCst);
                // SAFETY: all tasks of a check run on one OS thread.
                let first = unsafe { *number.as_ptr() };
                fence(SeqCst);
                // SAFETY: as above.
                (first, unsafe { *number.as_ptr() })
            },
            |number| number.store(1, SeqCst),
        );
        seen
    }
    within 0 faults gives [(0, 0), (1, 1)];

    /// For each of the three one task is the first and meets the initial value.
    fn initial_atomics_are_those_of_std by every_search
    covers ["sync::atomic::{ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT}"] {
        let (_, mine, theirs) = contend(
            (ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT),
            |(a, b, c)| (a.swap(true, SeqCst), b.fetch_sub(1, SeqCst), c.fetch_add(1, SeqCst)),
            |(a, b, c)| (a.swap(true, SeqCst), b.fetch_sub(1, SeqCst), c.fetch_add(1, SeqCst)),
        );
        (mine, theirs)
    }
    within 0 faults gives (0..8).map(|first| {
        let met = |second: u32| (second & 1 != 0, -isize::from(second & 2 != 0), usize::from(second & 4 != 0));
        (met(first), met(7 - first))
    });
}
