//! The async corpus: programs with a bug in corpus/rust/async/fail, fixed twins in corpus/rust/async/pass.

use crate::support::corpus_cases::{Case, Corpus};

/// The programs, each with its twin, and what every program may use.
macro_rules! programs {
    ($($name:ident,)*) => {
        programs!(@twins fail $($name)*);
        programs!(@twins pass $($name)*);
        const CASES: &[Case] = &[$(programs!(@case fail $name), programs!(@case pass $name)),*];
    };
    (@twins $kind:ident $($name:ident)*) => {
        mod $kind {$(
            #[allow(unused_imports, dead_code, clippy::await_holding_refcell_ref, reason = "some are such bugs")]
            pub mod $name {
                use std::cell::RefCell;
                use std::future::{Future, poll_fn};
                use std::pin::{Pin, pin};
                use std::rc::Rc;
                use std::task::{Context, Poll, Waker};
                use std::time::Duration;

                use caissa::future::sync::{
                    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
                };
                use caissa::future::time::{Instant, sleep, sleep_until, timeout};
                use caissa::future::{block_on, spawn, spawn_local, yield_now};
                use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
                use caissa::sync::{Arc, Mutex as SyncMutex};
                use caissa::thread;
                use futures::future::{Either, join, select};

                const MS: Duration = Duration::from_millis(1);
                include!(concat!("../../../corpus/rust/async/", stringify!($kind), "/", stringify!($name), ".rs"));
            }
        )*}
    };
    (@case $kind:ident $name:ident) => {
        Case {
            path: concat!(stringify!($kind), "/", stringify!($name)),
            text: include_str!(concat!(
                "../../../corpus/rust/async/", stringify!($kind), "/", stringify!($name), ".rs"
            )),
            run: $kind::$name::$name,
        }
    };
}

programs! {
    abort_breaks_invariant,
    answer_never_sent,
    async_lock_order,
    barrier_of_the_wrong_size,
    blocking_lock_across_await,
    broadcast_lag,
    closed_after_a_look,
    detached_work,
    full_channels,
    join_polls_twice,
    late_waker,
    leaked_permit,
    lease_outlived,
    notified_too_late,
    one_notification_for_two,
    one_place_for_two_wakers,
    permits_piece_by_piece,
    read_then_write,
    reentrant_lock,
    refcell_across_await,
    select_drops_message,
    set_after_await,
    sleep_instead_of_join,
    stale_waker,
    starved_by_a_blocking_wait,
    timeout_loses_a_message,
    timeout_then_twice,
    wakes_before_it_pushes,
    watch_change_missed,
}

const CORPUS: Corpus = Corpus { folder: "rust/async", cases: CASES, max_executions: 200_000, bound: 2 };

#[test]
fn bugs_are_found_at_their_minimal_bounds_and_replay() {
    CORPUS.bugs_are_found_at_their_minimal_bounds_and_replay();
}

#[test]
fn fixed_twins_pass_beyond_the_bounds_of_their_bugs() {
    CORPUS.fixed_twins_pass_beyond_the_bounds_of_their_bugs();
}

#[test]
fn reduction_loses_nothing() {
    CORPUS.reduction_loses_nothing();
}

#[test]
fn every_program_is_a_case() {
    CORPUS.every_program_is_a_case();
}
