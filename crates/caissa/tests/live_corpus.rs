//! The corpus of programs that need a fair scheduler: they spin, poll or retry and end only if every task is let run.
//!
//! `corpus/rust/live/pass` holds programs that are correct under fairness, `corpus/rust/live/fail` their broken twins: livelocks, loops
//! that spin without a yield, and bugs of other kinds in code that spins.
//! `BLESS=1 cargo test -p caissa live_corpus` writes the measured figures into their heads.

mod live_cases;

use crate::support::corpus_cases::{Case, Corpus};
use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Report, Search, Verdict, hint, thread};

/// The programs and what every program may use.
macro_rules! programs {
    ($($kind:ident { $($name:ident,)* })*) => {
        $(mod $kind {$(
            #[allow(unused_imports, dead_code, clippy::while_immutable_condition, reason = "some are such bugs")]
            pub mod $name {
                use caissa::future::sync::Mutex as AsyncMutex;
                use caissa::future::{block_on, spawn, spawn_local, yield_now};
                use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst as SC};
                use caissa::sync::{Arc, Condvar, Mutex, mpsc};
                use caissa::time::{Duration, Instant};
                use caissa::{hint, thread};
                include!(concat!("../../../corpus/rust/live/", stringify!($kind), "/", stringify!($name), ".rs"));
            }
        )*})*
        const CASES: &[Case] = &[$($(Case {
            path: concat!(stringify!($kind), "/", stringify!($name)),
            text: include_str!(concat!("../../../corpus/rust/live/", stringify!($kind), "/", stringify!($name), ".rs")),
            run: $kind::$name::$name,
        },)*)*];
    };
}

programs! {
    fail {
        async_polling,
        async_stale_copy,
        async_try_lock,
        backoff_lock,
        bakery,
        cas_counter,
        clh_lock,
        condvar_poll,
        deadline_poll,
        dekker_courtesy,
        event_loop,
        fig1_philosophers,
        fig1_spin_forks,
        fig1_three_philosophers,
        fig3_no_yield,
        fig7_worker_group,
        fig8_stale_copy,
        handshake,
        handshake_both_wait,
        hold_and_poll,
        hold_and_try,
        lazy_init,
        mcs_lock,
        mutex_spin,
        peterson_no_turn,
        peterson_no_yield,
        peterson_turn_first,
        polling_consumer,
        polling_server,
        rw_spin_lock,
        seqlock,
        seqlock_no_recheck,
        shutdown_lost,
        spin_barrier,
        spin_then_park,
        stack_wait,
        tas_lock,
        ticket_given_back,
        timer_flag,
        ttas_lock,
        upgrade,
    }
    pass {
        async_polling,
        async_try_lock,
        backoff_lock,
        bakery,
        cas_counter,
        clh_lock,
        condvar_poll,
        deadline_poll,
        dekker_wait,
        event_loop,
        fig1_philosophers,
        fig1_spin_forks,
        fig1_three_philosophers,
        fig3_park_timeout,
        fig3_recv_timeout,
        fig3_sleep,
        fig3_spin_loop,
        fig3_spin_wait,
        fig3_wait_timeout,
        fig7_worker_group,
        fig8_stale_copy,
        handshake,
        hold_and_poll,
        lazy_init,
        mcs_lock,
        peterson_wait,
        polling_consumer,
        polling_server,
        rw_spin_lock,
        seqlock,
        shutdown_lost,
        spin_barrier,
        spin_then_park,
        stack_wait,
        tas_lock,
        ticket_lock,
        timer_flag,
        ttas_lock,
        upgrade,
    }
}

const CORPUS: Corpus = Corpus { folder: "rust/live", cases: CASES, max_executions: 100_000, bound: 2 };

/// Those of `pass`, which come behind those of `fail`.
const PASSING: Corpus = Corpus { cases: CASES.split_at(failing()).1, ..CORPUS };

const fn failing() -> usize {
    let mut count = 0;
    while CASES[count].path.as_bytes()[0] == b'f' {
        count += 1;
    }
    count
}

#[test]
fn bugs_are_found_at_their_minimal_bounds_and_replay() {
    CORPUS.bugs_are_found_at_their_minimal_bounds_and_replay();
}

#[test]
fn fixed_twins_pass_beyond_the_bounds_of_their_bugs() {
    CORPUS.fixed_twins_pass_beyond_the_bounds_of_their_bugs();
}

#[test]
fn every_program_is_a_case() {
    CORPUS.every_program_is_a_case();
}

#[test]
fn no_search_finds_anything_else() {
    CORPUS.no_search_finds_anything_else();
}

#[test]
fn every_second_yield_is_enough() {
    CORPUS.every_second_yield_is_enough();
}

#[test]
fn two_workers_conclude_the_same() {
    CORPUS.two_workers_conclude_the_same();
}

#[test]
fn unfair_searches_say_nothing_about_liveness() {
    CORPUS.unfair_searches_say_nothing_about_liveness();
}

#[test]
fn loops_without_a_yield_are_named() {
    CORPUS.loops_without_a_yield_are_named();
}

#[test]
fn reports_fold_what_repeats() {
    CORPUS.reports_fold_what_repeats();
}

#[test]
fn cut_off_early_is_no_bug() {
    CORPUS.cut_off_early_is_no_bug();
}

#[test]
fn reduction_loses_nothing() {
    PASSING.reduction_loses_nothing();
}

#[test]
fn a_search_in_pieces_comes_to_the_same() {
    CORPUS.a_search_in_pieces_comes_to_the_same();
}

/// The executions at each exact cost.
fn executions(report: &Report) -> Vec<u64> {
    report.summary.bounds.iter().map(|bound| bound.executions).collect()
}

/// The waiter loads and yields twice in vain, then the store is due. It can come earlier, after 0 to 3 steps, by a preemption. Behind the
/// store the setter ends, and the waiter loads, or yields first if it was about to.
#[test]
fn figure_3_has_the_executions_that_were_counted_by_hand() {
    let spin_wait = pass::fig3_spin_wait::fig3_spin_wait;
    let report = Builder::new().search(Search::Preemptions).bound(9).explore(spin_wait).unwrap();
    assert_eq!((report.verdict, executions(&report)), (Verdict::Verified, vec![1, 5, 4, 2]), "{report}");
    let report = Builder::new().search(Search::Dfs).explore(spin_wait).unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Verified, 12), "{report}");
}

/// The store comes first; or the waiter does, by a preemption. A sleep is two steps, of which the first yields, so the store is due after 5 steps; by
/// another preemption it comes after 1 to 4. Behind the store its task only waits.
#[test]
fn figure_8_with_a_second_look_has_the_executions_that_were_counted_by_hand() {
    let report =
        Builder::new().search(Search::Preemptions).explore(pass::fig8_stale_copy::fig8_stale_copy).unwrap();
    assert_eq!((report.verdict, executions(&report)), (Verdict::Verified, vec![1, 1, 4]), "{report}");
}

/// Spins twice before it parks, and parks without another look.
fn spin_twice_then_park() {
    let (set, parked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let setter = {
        let (set, parked, waiter) = (set.clone(), parked.clone(), thread::current());
        thread::spawn(move || {
            set.store(true, SeqCst);
            if parked.load(SeqCst) {
                waiter.unpark();
            }
        })
    };
    hint::spin_loop();
    hint::spin_loop();
    if !set.load(SeqCst) {
        parked.store(true, SeqCst);
        thread::park();
    }
    setter.join().unwrap();
}

/// A state behind two yields of a task, while another could run and does not, is beyond what k = 1 promises (Theorem 5): the lost wake-up is not
/// seen. With k = 2 it is.
#[test]
fn a_bug_behind_two_yields_needs_every_second_yield() {
    let builder = Builder::new().search(Search::Dfs).faults(0);
    assert_eq!(builder.clone().explore(spin_twice_then_park).unwrap().verdict, Verdict::Verified);
    let report = builder.fair_k(2).explore(spin_twice_then_park).unwrap();
    assert_eq!(report.finding.as_ref().map(|finding| finding.bug.kind()), Some("deadlock"), "{report}");
}

/// Two tasks in turn, `rounds` times each; the turn only grows.
fn takes_turns(rounds: usize) {
    let turn = Arc::new(AtomicUsize::new(0));
    let play = move |turn: &AtomicUsize, me: usize| {
        for round in 0..rounds {
            while turn.load(SeqCst) != 2 * round + me {
                thread::yield_now();
            }
            turn.fetch_add(1, SeqCst);
        }
    };
    let other = {
        let turn = turn.clone();
        thread::spawn(move || play(&turn, 1))
    };
    play(&turn, 0);
    other.join().unwrap();
}

/// A program that gets on is not accused of anything, however long it takes.
#[test]
fn long_is_not_for_ever() {
    for search in [Search::Preemptions, Search::Random] {
        let builder = Builder::new().search(search).bound(0).max_executions(3);
        let report = builder.clone().max_steps(1_000).explore(|| takes_turns(1_000)).unwrap();
        assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
        assert!(report.finding.is_none() && report.summary.step_limited() > 0, "{report}");
        let report = builder.explore(|| takes_turns(1_000)).unwrap();
        assert!(report.finding.is_none() && report.summary.step_limited() == 0, "{report}");
    }
}
