//! The corpus of Rust programs: each bug at its minimal bound, each fixed twin silent beyond it.

use crate::support::corpus_cases::{Case, Corpus};

/// The programs, some with what they share, and what every program may use.
macro_rules! programs {
    ($($kind:ident { $($name:ident $(with $shared:ident)?,)* })*) => {
        $(mod $kind {$(
            #[allow(unused_imports, dead_code)]
            pub mod $name {
                use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
                use caissa::sync::{Arc, Condvar, Mutex, OnceLock, RwLock, mpsc};
                use caissa::thread;
                use caissa::time::Duration;
                $(include!(concat!("../../../corpus/rust/shared/", stringify!($shared), ".rs"));)?
                include!(concat!("../../../corpus/rust/", stringify!($kind), "/", stringify!($name), ".rs"));
            }
        )*})*
        const CASES: &[Case] = &[$($(Case {
            path: concat!(stringify!($kind), "/", stringify!($name)),
            text: include_str!(concat!("../../../corpus/rust/", stringify!($kind), "/", stringify!($name), ".rs")),
            run: $kind::$name::$name,
        },)*)*];
    };
}

programs! {
    fail {
        barrier_reuse,
        bluetooth,
        bounded_buffer,
        channel_close,
        check_then_act,
        dekker_entry,
        double_checked_init,
        join_deadlock,
        lock_order_rw,
        lost_update,
        message_passing_flag,
        missed_notification,
        mutex_increments,
        once_lock_asked_first,
        park_lost_token,
        peterson_broken,
        philosophers,
        readers_writer_upgrade,
        sleep_for_a_signal,
        spurious_wakeup,
        timeout_taken_for_an_end,
        treiber_aba,
        unlocked_predicate,
        weak_claim,
        wsq_pop_no_recheck with work_stealing_queue,
        wsq_pop_reads_head_first with work_stealing_queue,
        wsq_steal_checks_first with work_stealing_queue,
        wsq_steal_unlocked with work_stealing_queue,
    }
    pass {
        barrier_reuse,
        bluetooth,
        bounded_buffer,
        channel_close,
        check_then_act,
        dekker_entry,
        double_checked_init,
        fetch_add_separate,
        fetch_add_shared,
        join_deadlock,
        lock_order_rw,
        lost_update,
        message_passing_flag,
        missed_notification,
        mutex_increments,
        once_lock_asked_first,
        park_lost_token,
        peterson,
        philosophers,
        readers_writer_upgrade,
        rmw_4x10,
        rmw_6x10,
        sleep_for_a_signal,
        spurious_wakeup,
        timeout_taken_for_an_end,
        treiber_aba,
        unlocked_predicate,
        weak_claim,
        work_stealing_queue with work_stealing_queue,
        work_stealing_queue_big with work_stealing_queue,
        work_stealing_queue_one_item with work_stealing_queue,
        work_stealing_queue_two_thieves with work_stealing_queue,
    }
}

const CORPUS: Corpus = Corpus { folder: "rust", cases: CASES, max_executions: 400_000, bound: 3 };

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
