//! The corpus of Rust programs: each bug at its minimal bound, each fixed twin silent beyond it.
//!
//! The head of each file in corpus/rust holds what is expected. `BLESS=1 cargo test --test corpus` writes the
//! measured figures there; what must hold whatever the figures are is asserted here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use caissa::{Builder, Report, Search, Verdict};

/// What every program may use.
macro_rules! program {
    ($name:ident, $path:literal $(, $shared:literal)?) => {
        #[allow(unused_imports, dead_code)]
        pub mod $name {
            use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
            use caissa::sync::{Arc, Condvar, Mutex, OnceLock, RwLock, mpsc};
            use caissa::thread;
            use caissa::time::Duration;
            $(include!(concat!("../../../corpus/rust/shared/", $shared, ".rs"));)?
            include!(concat!("../../../corpus/rust/", $path, ".rs"));
        }
    };
}

mod fail {
    program!(barrier_reuse, "fail/barrier_reuse");
    program!(bluetooth, "fail/bluetooth");
    program!(bounded_buffer, "fail/bounded_buffer");
    program!(channel_close, "fail/channel_close");
    program!(check_then_act, "fail/check_then_act");
    program!(dekker_entry, "fail/dekker_entry");
    program!(double_checked_init, "fail/double_checked_init");
    program!(join_deadlock, "fail/join_deadlock");
    program!(lock_order_rw, "fail/lock_order_rw");
    program!(lost_update, "fail/lost_update");
    program!(message_passing_flag, "fail/message_passing_flag");
    program!(missed_notification, "fail/missed_notification");
    program!(mutex_increments, "fail/mutex_increments");
    program!(park_lost_token, "fail/park_lost_token");
    program!(peterson_broken, "fail/peterson_broken");
    program!(philosophers, "fail/philosophers");
    program!(readers_writer_upgrade, "fail/readers_writer_upgrade");
    program!(treiber_aba, "fail/treiber_aba");
    program!(unlocked_predicate, "fail/unlocked_predicate");
    program!(wsq_pop_no_recheck, "fail/wsq_pop_no_recheck", "work_stealing_queue");
    program!(wsq_pop_reads_head_first, "fail/wsq_pop_reads_head_first", "work_stealing_queue");
    program!(wsq_steal_checks_first, "fail/wsq_steal_checks_first", "work_stealing_queue");
    program!(wsq_steal_unlocked, "fail/wsq_steal_unlocked", "work_stealing_queue");
    program!(once_lock_asked_first, "fail/once_lock_asked_first");
    program!(sleep_for_a_signal, "fail/sleep_for_a_signal");
    program!(spurious_wakeup, "fail/spurious_wakeup");
    program!(timeout_taken_for_an_end, "fail/timeout_taken_for_an_end");
    program!(weak_claim, "fail/weak_claim");
}

mod pass {
    program!(barrier_reuse, "pass/barrier_reuse");
    program!(bluetooth, "pass/bluetooth");
    program!(bounded_buffer, "pass/bounded_buffer");
    program!(channel_close, "pass/channel_close");
    program!(check_then_act, "pass/check_then_act");
    program!(dekker_entry, "pass/dekker_entry");
    program!(double_checked_init, "pass/double_checked_init");
    program!(fetch_add_separate, "pass/fetch_add_separate");
    program!(fetch_add_shared, "pass/fetch_add_shared");
    program!(join_deadlock, "pass/join_deadlock");
    program!(lock_order_rw, "pass/lock_order_rw");
    program!(lost_update, "pass/lost_update");
    program!(message_passing_flag, "pass/message_passing_flag");
    program!(missed_notification, "pass/missed_notification");
    program!(mutex_increments, "pass/mutex_increments");
    program!(park_lost_token, "pass/park_lost_token");
    program!(peterson, "pass/peterson");
    program!(philosophers, "pass/philosophers");
    program!(readers_writer_upgrade, "pass/readers_writer_upgrade");
    program!(rmw_4x10, "pass/rmw_4x10");
    program!(rmw_6x10, "pass/rmw_6x10");
    program!(treiber_aba, "pass/treiber_aba");
    program!(unlocked_predicate, "pass/unlocked_predicate");
    program!(work_stealing_queue, "pass/work_stealing_queue", "work_stealing_queue");
    program!(work_stealing_queue_big, "pass/work_stealing_queue_big", "work_stealing_queue");
    program!(work_stealing_queue_one_item, "pass/work_stealing_queue_one_item", "work_stealing_queue");
    program!(work_stealing_queue_two_thieves, "pass/work_stealing_queue_two_thieves", "work_stealing_queue");
    program!(once_lock_asked_first, "pass/once_lock_asked_first");
    program!(sleep_for_a_signal, "pass/sleep_for_a_signal");
    program!(spurious_wakeup, "pass/spurious_wakeup");
    program!(timeout_taken_for_an_end, "pass/timeout_taken_for_an_end");
    program!(weak_claim, "pass/weak_claim");
}

struct Case {
    /// Below corpus/rust, without the ending.
    path: &'static str,
    text: &'static str,
    run: fn(),
}

macro_rules! cases {
    ($($kind:ident $name:ident),* $(,)?) => {
        &[$(Case {
            path: concat!(stringify!($kind), "/", stringify!($name)),
            text: include_str!(concat!("../../../corpus/rust/", stringify!($kind), "/", stringify!($name), ".rs")),
            run: $kind::$name::$name,
        }),*]
    };
}

const CASES: &[Case] = cases![
    fail barrier_reuse,
    fail bluetooth,
    fail bounded_buffer,
    fail channel_close,
    fail check_then_act,
    fail dekker_entry,
    fail double_checked_init,
    fail join_deadlock,
    fail lock_order_rw,
    fail lost_update,
    fail message_passing_flag,
    fail missed_notification,
    fail mutex_increments,
    fail park_lost_token,
    fail peterson_broken,
    fail philosophers,
    fail readers_writer_upgrade,
    fail treiber_aba,
    fail unlocked_predicate,
    fail wsq_pop_no_recheck,
    fail wsq_pop_reads_head_first,
    fail wsq_steal_checks_first,
    fail wsq_steal_unlocked,
    fail once_lock_asked_first,
    fail sleep_for_a_signal,
    fail spurious_wakeup,
    fail timeout_taken_for_an_end,
    fail weak_claim,
    pass barrier_reuse,
    pass bluetooth,
    pass bounded_buffer,
    pass channel_close,
    pass check_then_act,
    pass dekker_entry,
    pass double_checked_init,
    pass fetch_add_separate,
    pass fetch_add_shared,
    pass join_deadlock,
    pass lock_order_rw,
    pass lost_update,
    pass message_passing_flag,
    pass missed_notification,
    pass mutex_increments,
    pass park_lost_token,
    pass peterson,
    pass philosophers,
    pass readers_writer_upgrade,
    pass rmw_4x10,
    pass rmw_6x10,
    pass treiber_aba,
    pass unlocked_predicate,
    pass work_stealing_queue,
    pass work_stealing_queue_big,
    pass work_stealing_queue_one_item,
    pass work_stealing_queue_two_thieves,
    pass once_lock_asked_first,
    pass sleep_for_a_signal,
    pass spurious_wakeup,
    pass timeout_taken_for_an_end,
    pass weak_claim,
];

/// The searches that every case is measured with, by the word in its head.
fn searches() -> [(&'static str, Builder); 3] {
    [
        ("preemptions", Builder::new().search(Search::Preemptions)),
        ("delays rr", Builder::new().search(Search::Delays).scheduler("rr")),
        ("delays dfs", Builder::new().search(Search::Delays).scheduler("depth-first")),
    ]
}

/// Executions that a passing case may take at one bound, and all its schedules together.
const MAX_EXECUTIONS: u64 = 400_000;

impl Case {
    fn is_bug(&self) -> bool {
        self.path.starts_with("fail/")
    }

    fn field(&self, name: &str) -> &'static str {
        let prefix = format!("// {name}: ");
        let line = self.text.lines().find_map(|line| line.strip_prefix(&prefix));
        line.unwrap_or_else(|| panic!("{} has no line `{prefix}...`", self.path))
    }

    /// The faults budget, if the head sets one: a program can have another bug that only a fault shows.
    fn faults(&self) -> u32 {
        self.text.lines().find_map(|line| line.strip_prefix("// faults: ")).map_or(1, |n| n.parse().unwrap())
    }

    fn explore(&self, builder: &Builder) -> Report {
        builder
            .clone()
            .faults(self.faults())
            .explore(self.run)
            .unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    /// The buggy programs of which this is the fixed twin.
    fn bugs(&self) -> impl Iterator<Item = &'static Case> {
        let twins = self.field("twin");
        CASES.iter().filter(move |case| twins.split(", ").any(|twin| twin == format!("{}.rs", case.path)))
    }

    /// The least bound at which a search finds the bug, from the head.
    fn bug_bound(&self, search: &str) -> u32 {
        let bound = self.field(search).split(',').next().unwrap();
        bound
            .parse()
            .unwrap_or_else(|_| panic!("{}: `{search}` is not measured; run with BLESS=1", self.path))
    }
}

/// What is measured of a buggy program; asserts what must hold whatever the figures are.
fn measure_bug(case: &Case) -> BTreeMap<&'static str, String> {
    let mut measured = BTreeMap::new();
    for (name, builder) in searches() {
        let report = case.explore(&builder.bound(4).max_executions(MAX_EXECUTIONS));
        assert_eq!(report.verdict, Verdict::Bug, "{}, {name}: {report}", case.path);
        let finding = report.finding.as_ref().unwrap();
        assert!(finding.minimal, "{}, {name}: every smaller bound was exhausted: {report}", case.path);
        let below = report.summary.bounds.iter().take(finding.spent as usize);
        assert!(below.clone().all(|bound| bound.complete), "{}, {name}: {report}", case.path);
        assert_eq!(case.field("verdict"), format!("bug {}", finding.bug.kind()), "{}, {name}", case.path);

        let replayed = case.explore(&Builder::new().replay(&finding.schedule()));
        let again =
            replayed.finding.unwrap_or_else(|| panic!("{}, {name}: the replay shows no bug", case.path));
        assert_eq!(again.bug, finding.bug, "{}, {name}", case.path);
        assert_eq!(again.trace, finding.trace, "{}, {name}", case.path);
        measured.insert(name, format!("{}, {} executions", finding.spent, report.executions()));
    }
    measured
}

/// What is measured of a correct program.
fn measure_pass(case: &Case) -> BTreeMap<&'static str, String> {
    let mut measured = BTreeMap::new();
    let all = case.explore(&Builder::new().search(Search::Dfs).max_executions(MAX_EXECUTIONS));
    assert!(all.finding.is_none(), "{}: {all}", case.path);
    let verified = all.verdict == Verdict::Verified;
    let verdict =
        if verified { format!("verified, {} executions", all.executions()) } else { "bounded".to_owned() };
    measured.insert("verdict", verdict);
    for (name, builder) in searches() {
        let beyond_bug = case.bugs().map(|bug| bug.bug_bound(name) + 1).max().unwrap_or(0);
        let mut best = None;
        for bound in 0..=beyond_bug.max(3) {
            let report = case.explore(&builder.clone().bound(bound).max_executions(MAX_EXECUTIONS));
            assert!(report.finding.is_none(), "{}, {name}: {report}", case.path);
            if report.verdict == Verdict::Incomplete {
                break;
            }
            best = Some((bound, report.executions()));
        }
        let (bound, executions) =
            best.unwrap_or_else(|| panic!("{}, {name}: bound 0 is too large", case.path));
        assert!(
            verified || bound >= beyond_bug,
            "{}, {name}: bound {bound} is not beyond the bug's",
            case.path
        );
        measured.insert(name, format!("{bound}, {executions} executions"));
    }
    measured
}

/// Compares with the head of the file, or writes the figures into it.
fn settle(case: &Case, measured: &BTreeMap<&'static str, String>) {
    if std::env::var_os("BLESS").is_none() {
        for (name, value) in measured {
            assert_eq!(case.field(name), value, "{}: `{name}`; BLESS=1 writes what was measured", case.path);
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
    let path = folder().join(case.path).with_extension("rs");
    std::fs::write(path, lines.collect::<String>()).unwrap();
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/rust"))
}

#[test]
fn bugs_are_found_at_their_minimal_bounds_and_replay() {
    for case in CASES.iter().filter(|case| case.is_bug()) {
        settle(case, &measure_bug(case));
    }
}

#[test]
fn fixed_twins_pass_beyond_the_bounds_of_their_bugs() {
    for case in CASES.iter().filter(|case| !case.is_bug()) {
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
            let (all, fewer) = (case.explore(&builder), case.explore(&builder.clone().reduce(true)));
            if all.summary.stopped.is_none() && all.summary.step_limited() == 0 {
                compared += 1;
                // A panic of the main task ends an execution, and then its class depends on what came before.
                if all.finding.is_none() {
                    assert_eq!(fewer.summary.classes(), all.summary.classes(), "{}", case.path);
                }
                assert_eq!(fewer.finding.is_some(), all.finding.is_some(), "{}", case.path);
                if let Some(finding) = &fewer.finding {
                    let again = Builder::new().replay(&finding.schedule());
                    let again = case.explore(&again);
                    assert_eq!(again.verdict, Verdict::Bug, "{}: {again}", case.path);
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
            let name = format!("{kind}/{}", path.file_stem().unwrap().to_str().unwrap());
            assert!(CASES.iter().any(|case| case.path == name), "{name} is not in the list of cases");
        }
    }
}
