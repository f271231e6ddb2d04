//! The async corpus: programs with a bug in corpus/rust/async/fail, fixed twins in corpus/rust/async/pass.
//!
//! As in `tests/corpus.rs` each program is a closure's body whose head holds what is expected, and `BLESS=1 cargo test --test
//! async_corpus` writes the measured figures there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use caissa::{Builder, Report, Search, Verdict};

struct Case {
    kind: &'static str,
    name: &'static str,
    text: &'static str,
    run: fn(),
}

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
            kind: stringify!($kind),
            name: stringify!($name),
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

/// Executions that a passing case may take at one bound, and all its schedules together.
const MAX_EXECUTIONS: u64 = 200_000;

impl Case {
    fn field(&self, name: &str) -> &'static str {
        let prefix = format!("// {name}: ");
        let line = self.text.lines().find_map(|line| line.strip_prefix(&prefix));
        line.unwrap_or_else(|| panic!("{}/{} has no line `{prefix}...`", self.kind, self.name))
    }

    /// The searches that the case is measured with, by the word in its head.
    fn searches(&self) -> [(&'static str, Builder); 3] {
        [
            ("preemptions", Builder::new().search(Search::Preemptions)),
            ("delays rr", Builder::new().search(Search::Delays).scheduler("rr")),
            ("delays dfs", Builder::new().search(Search::Delays).scheduler("depth-first")),
        ]
    }

    fn explore(&self, builder: Builder) -> Report {
        let report = builder.max_executions(MAX_EXECUTIONS).explore(self.run);
        report.unwrap_or_else(|error| panic!("{}/{}: {error}", self.kind, self.name))
    }

    /// The case that is the same without the bug, or with it.
    fn twin(&self) -> &'static Case {
        let twin = self.field("twin");
        let found = CASES.iter().find(|case| format!("{}/{}.rs", case.kind, case.name) == twin);
        found.unwrap_or_else(|| panic!("{}/{}: no twin {twin}", self.kind, self.name))
    }

    /// The least bound at which a search finds the bug, from the head.
    fn bug_bound(&self, search: &str) -> u32 {
        let bound = self.field(search).split(',').next().unwrap_or_default();
        bound
            .parse()
            .unwrap_or_else(|_| panic!("{}: `{search}` is not measured; run with BLESS=1", self.name))
    }
}

/// What is measured of a program with a bug; asserts what must hold whatever the figures are.
fn measure_bug(case: &Case) -> BTreeMap<&'static str, String> {
    let mut measured = BTreeMap::new();
    let default = case.explore(Builder::new());
    assert_eq!(default.verdict, Verdict::Bug, "{}, default search: {default}", case.name);
    for (name, builder) in case.searches() {
        let report = case.explore(builder.bound(4));
        assert_eq!(report.verdict, Verdict::Bug, "{}, {name}: {report}", case.name);
        let finding = report.finding.as_ref().expect("a bug has a finding");
        assert!(finding.minimal, "{}, {name}: every smaller bound was exhausted: {report}", case.name);
        assert_eq!(case.field("verdict"), format!("bug {}", finding.bug.kind()), "{}, {name}", case.name);
        let replayed = case.explore(Builder::new().replay(&finding.schedule()));
        let again =
            replayed.finding.unwrap_or_else(|| panic!("{}, {name}: the replay shows no bug", case.name));
        assert_eq!((&again.bug, &again.trace), (&finding.bug, &finding.trace), "{}, {name}", case.name);
        measured.insert(name, format!("{}, {} executions", finding.spent, report.executions()));
    }
    measured
}

/// What is measured of a correct program.
fn measure_pass(case: &Case) -> BTreeMap<&'static str, String> {
    let mut measured = BTreeMap::new();
    let all = case.explore(Builder::new().search(Search::Dfs));
    assert!(all.finding.is_none(), "{}: {all}", case.name);
    let verified = all.verdict == Verdict::Verified;
    let verdict =
        if verified { format!("verified, {} executions", all.executions()) } else { "bounded".to_owned() };
    measured.insert("verdict", verdict);
    for (name, builder) in case.searches() {
        let beyond_bug = case.twin().bug_bound(name) + 1;
        let mut best = None;
        for bound in 0..=beyond_bug.max(2) {
            let report = case.explore(builder.clone().bound(bound));
            assert!(report.finding.is_none(), "{}, {name}: {report}", case.name);
            if report.verdict == Verdict::Incomplete {
                break;
            }
            best = Some((bound, report.executions()));
        }
        let (bound, executions) =
            best.unwrap_or_else(|| panic!("{}, {name}: bound 0 is too large", case.name));
        assert!(
            verified || bound >= beyond_bug,
            "{}, {name}: bound {bound} is not beyond the bug's",
            case.name
        );
        measured.insert(name, format!("{bound}, {executions} executions"));
    }
    measured
}

/// Compares with the head of the file, or writes the figures into it.
fn settle(case: &Case, measured: &BTreeMap<&'static str, String>) {
    if std::env::var_os("BLESS").is_none() {
        for (name, value) in measured {
            assert_eq!(case.field(name), value, "{}/{}: `{name}`; see BLESS", case.kind, case.name);
        }
        return;
    }
    let lines = case.text.lines().map(|line| {
        let field = line.strip_prefix("// ").and_then(|line| line.split_once(": "));
        match field.and_then(|(name, _)| measured.get_key_value(name)) {
            Some((name, value)) => format!("// {name}: {value}\n"),
            None => format!("{line}\n"),
        }
    });
    let path = folder().join(case.kind).join(case.name).with_extension("rs");
    std::fs::write(path, lines.collect::<String>()).unwrap();
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/rust/async"))
}

#[test]
fn bugs_are_found_at_their_minimal_bounds_and_replay() {
    for case in CASES.iter().filter(|case| case.kind == "fail") {
        settle(case, &measure_bug(case));
    }
}

#[test]
fn fixed_twins_pass_beyond_the_bounds_of_their_bugs() {
    for case in CASES.iter().filter(|case| case.kind == "pass") {
        settle(case, &measure_pass(case));
    }
}

/// Leaving out equivalent executions loses no class of any program that is small enough, and no bug.
#[test]
fn reduction_loses_nothing() {
    let mut compared = 0;
    for case in CASES {
        for builder in [
            Builder::new().search(Search::Preemptions).bound(1),
            Builder::new().search(Search::Preemptions).bound(2),
            Builder::new().search(Search::Dfs),
        ] {
            let builder = builder.keep_going(true).minimise(1).max_executions(20_000);
            let explore = |builder: Builder| builder.explore(case.run).expect("the program can be checked");
            let (all, fewer) = (explore(builder.clone()), explore(builder.reduce(true)));
            if all.summary.stopped.is_none() && all.summary.step_limited() == 0 {
                compared += 1;
                // A panic of the main task ends an execution, and then its class depends on what came before.
                if all.finding.is_none() {
                    assert_eq!(fewer.summary.classes(), all.summary.classes(), "{}", case.name);
                }
                assert_eq!(fewer.finding.is_some(), all.finding.is_some(), "{}", case.name);
                if let Some(finding) = &fewer.finding {
                    let again = Builder::new().replay(&finding.schedule());
                    let again = again.explore(case.run).expect("the program can be checked");
                    assert_eq!(again.verdict, Verdict::Bug, "{}: {again}", case.name);
                }
            }
        }
    }
    assert!(compared > CASES.len(), "only {compared} searches were small enough");
}

#[test]
fn the_list_of_cases_is_complete() {
    for kind in ["fail", "pass"] {
        for entry in std::fs::read_dir(folder().join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap();
            assert!(
                CASES.iter().any(|case| case.kind == kind && case.name == name),
                "{kind}/{name} is not listed"
            );
        }
    }
}
