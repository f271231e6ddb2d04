//! The race corpus: racy programs in corpus/rust/race/fail, race-free twins in corpus/rust/race/pass.
//!
//! The head of a racy program says at which preemption bound its race is found, and what comes of the race once the racy
//! accesses are points. Its lines with `// race` are the two accesses.

use std::collections::BTreeSet;
use std::path::Path;

use caissa::{Bug, Builder, Finding, Points, Report, Search, Verdict};

struct Case {
    /// Below the folder of the corpus, without the ending.
    path: &'static str,
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
            #[allow(unused_imports, dead_code, reason = "each program uses some of it")]
            pub mod $name {
                use std::cell::RefCell;
                use std::future::poll_fn;
                use std::task::Poll;

                use caissa::cell::{Cell, UnsafeCell};
                use caissa::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
                use caissa::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, fence};
                use caissa::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
                use caissa::time::Duration;
                use caissa::{future, thread};

                include!("../../../corpus/rust/race/shared/plain.rs");
                include!(concat!("../../../corpus/rust/race/", stringify!($kind), "/", stringify!($name), ".rs"));
            }
        )*}
    };
    (@case $kind:ident $name:ident) => {
        Case {
            path: concat!(stringify!($kind), "/", stringify!($name)),
            text: include_str!(concat!(
                "../../../corpus/rust/race/", stringify!($kind), "/", stringify!($name), ".rs"
            )),
            run: $kind::$name::$name,
        }
    };
}

programs! {
    arc_last_owner,
    async_abort,
    async_barrier,
    async_broadcast,
    async_capacity,
    async_channel,
    async_closed,
    async_join,
    async_mutex,
    async_notify,
    async_once_cell,
    async_oneshot,
    async_rwlock,
    async_semaphore,
    async_spawn_after,
    async_timeout,
    async_waker,
    async_watch,
    barrier_two_rounds,
    barrier_write_after,
    cas_failure_relaxed,
    cas_success_release_only,
    chain_broken,
    channel_second_message,
    channel_two_producers,
    channel_write_after_send,
    condvar_flag_outside,
    condvar_timeout_ignored,
    condvar_work_after_unlock,
    disconnect_receiver,
    disconnect_sender,
    double_buffer,
    double_checked_flag_first,
    double_checked_relaxed,
    fence_acquire_missing,
    fence_before_load,
    fence_release_missing,
    fence_too_early,
    join_is_finished,
    join_panicked,
    join_read_before,
    lazy_init_plain,
    lazy_lock_filled_outside,
    message_relaxed_load,
    message_relaxed_store,
    mutex_guard_not_kept,
    mutex_one_side,
    mutex_poisoned_look,
    mutex_try_lock_ignored,
    mutex_two_locks,
    once_is_completed,
    once_lock_initialised_beside,
    once_lock_set_early,
    once_written_after,
    park_for_no_reason,
    park_other_token,
    publish_before_fill,
    publish_pointer_relaxed,
    queue_relaxed_head,
    queue_relaxed_tail,
    queue_tail_first,
    read_read,
    read_shared_then_write,
    recv_timeout_ignored,
    refcount_looks_again,
    refcount_relaxed,
    release_overwritten,
    release_sequence_store,
    rendezvous,
    rmw_relaxed_gate,
    rwlock_downgrade,
    rwlock_read_after_unlock,
    rwlock_write_under_read,
    scope_handle_join,
    scope_read_inside,
    seqcst_entry,
    seqlock_plain,
    sleep_instead_of_join,
    spawn_write_after,
    spin_lock_relaxed_unlock,
    spin_lock_test_then_set,
    sync_channel_capacity,
    thread_local_destructor,
    ticket_load_store,
    try_recv_empty,
    turns_relaxed,
}

/// In the head of a racy program that goes right whenever operations take effect one after the other.
const NO_CONSEQUENCE: &str = "none under sequential consistency";

impl Case {
    fn is_racy(&self) -> bool {
        self.path.starts_with("fail/")
    }

    fn field(&self, name: &str) -> &'static str {
        let prefix = format!("// {name}: ");
        let line = self.text.lines().find_map(|line| line.strip_prefix(&prefix));
        line.unwrap_or_else(|| panic!("{} has no line `{prefix}...`", self.path))
    }

    fn bound(&self, name: &str) -> u32 {
        self.field(name).parse().unwrap_or_else(|_| panic!("{}: `{name}` is no bound", self.path))
    }

    /// The faults budget, if the head sets one.
    fn faults(&self) -> u32 {
        self.text.lines().find_map(|line| line.strip_prefix("// faults: ")).map_or(1, |n| n.parse().unwrap())
    }

    fn explore(&self, builder: &Builder) -> Report {
        let report = builder.clone().faults(self.faults()).explore(self.run);
        report.unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    /// The lines marked as racy.
    fn racy_lines(&self) -> BTreeSet<u32> {
        let lines = self.text.lines().zip(1..);
        lines.filter(|(line, _)| line.ends_with("// race")).map(|(_, number)| number).collect()
    }

    /// Explores and expects a bug, which must replay.
    fn find(&self, name: &str, builder: &Builder) -> Finding {
        let report = self.explore(builder);
        assert_eq!(report.verdict, Verdict::Bug, "{}, {name}: {report}", self.path);
        let shown = report.to_string();
        let finding = report.finding.unwrap();
        let replayed = self.explore(&builder.clone().replay(&finding.schedule()));
        let again =
            replayed.finding.unwrap_or_else(|| panic!("{}, {name}: does not replay: {shown}", self.path));
        // Not the whole traces: what a pointer is differs from run to run.
        let steps = |finding: &Finding| {
            finding.trace.events.iter().map(|event| (event.task, event.op, event.source)).collect::<Vec<_>>()
        };
        assert_eq!((&again.bug, steps(&again)), (&finding.bug, steps(&finding)), "{}, {name}", self.path);
        finding
    }

    /// The finding is the race of the lines that are marked.
    fn assert_is_the_race(&self, name: &str, finding: &Finding) {
        let Bug::Race { first, second, .. } = &finding.bug else {
            panic!("{}, {name}: not a race but {:?}", self.path, finding.bug);
        };
        for access in [first, second] {
            let file = format!("{}.rs", self.path);
            assert!(access.source.file().ends_with(&file), "{}, {name}: {first:?}, {second:?}", self.path);
        }
        assert_ne!(first.task, second.task, "{}, {name}", self.path);
        assert!(first.writes || second.writes, "{}, {name}", self.path);
        let lines = BTreeSet::from([first.source.line(), second.source.line()]);
        assert_eq!(lines, self.racy_lines(), "{}, {name}: {first:?}, {second:?}", self.path);
    }
}

fn racy() -> impl Iterator<Item = &'static Case> {
    CASES.iter().filter(|case| case.is_racy())
}

fn race_free() -> impl Iterator<Item = &'static Case> {
    CASES.iter().filter(|case| !case.is_racy())
}

/// The searches that must find every race.
fn searches() -> [(&'static str, Builder); 7] {
    [
        ("default", Builder::new()),
        ("dfs", Builder::new().search(Search::Dfs)),
        ("dfs, reduced", Builder::new().search(Search::Dfs).reduce(true)),
        ("delays rr", Builder::new().delays(2).scheduler("rr")),
        ("delays depth-first", Builder::new().delays(2).scheduler("depth-first")),
        ("random", Builder::new().search(Search::Random).max_executions(500)),
        ("every access a point", Builder::new().points(Points::All)),
    ]
}

#[test]
fn races_are_found_by_every_search_and_replay() {
    for case in racy() {
        assert_eq!(case.field("verdict"), "bug race", "{}", case.path);
        for (name, builder) in searches() {
            case.assert_is_the_race(name, &case.find(name, &builder));
        }
    }
}

#[test]
fn races_are_found_at_their_preemption_bounds() {
    for case in racy() {
        let bound = case.bound("preemptions");
        let finding = case.find("preemptions", &Builder::new().preemptions(bound));
        case.assert_is_the_race("preemptions", &finding);
        assert_eq!((finding.spent, finding.minimal), (bound, true), "{}: a smaller bound will do", case.path);
    }
}

/// With the detector off nothing is a race, and the racy accesses are no points, so that most of these bugs are not seen.
#[test]
fn without_the_detector_no_race_is_reported() {
    for case in racy() {
        let report = case.explore(&Builder::new().search(Search::Dfs).races(false));
        if let Some(finding) = report.finding {
            assert_ne!(finding.bug.kind(), "race", "{}", case.path);
        }
    }
}

/// The finding is what the head of the program says comes of the race.
fn assert_is_the_consequence(case: &Case, name: &str, finding: &Finding) {
    let shown = match &finding.bug {
        Bug::Panic { panic, .. } => format!("panic, {}", panic.message),
        bug => bug.kind().to_owned(),
    };
    // An assertion's message is followed by what it compared.
    let expected = case.field("consequence");
    let (kind, message) = expected.split_once(", ").unwrap_or((expected, ""));
    assert!(shown.starts_with(kind) && shown.contains(message), "{}, {name}: {shown}", case.path);
}

#[test]
fn racy_accesses_as_points_show_what_comes_of_the_race() {
    for case in racy().filter(|case| case.field("consequence") != NO_CONSEQUENCE) {
        let bound = case.bound("promoted");
        for (name, builder) in
            [("default", Builder::new()), ("preemptions", Builder::new().preemptions(bound))]
        {
            let finding = case.find(name, &builder.points(Points::Racy));
            assert_is_the_consequence(case, name, &finding);
            assert_eq!((finding.spent, finding.minimal), (bound, true), "{}, {name}", case.path);
        }
        for (name, builder) in [
            ("dfs", Builder::new().search(Search::Dfs)),
            ("delays rr", Builder::new().delays(3).scheduler("rr")),
            ("delays depth-first", Builder::new().delays(3).scheduler("depth-first")),
            ("random", Builder::new().search(Search::Random).max_executions(1_000)),
        ] {
            let finding = case.find(name, &builder.points(Points::Racy));
            assert_is_the_consequence(case, name, &finding);
        }
    }
}

/// Where only weak memory would show a consequence, the race stays the finding.
#[test]
fn a_race_without_consequence_stays_the_finding() {
    for case in racy().filter(|case| case.field("consequence") == NO_CONSEQUENCE) {
        for (name, builder) in [("default", Builder::new()), ("dfs", Builder::new().search(Search::Dfs))] {
            let finding = case.find(name, &builder.points(Points::Racy));
            case.assert_is_the_race(name, &finding);
        }
    }
}

#[test]
fn race_free_twins_are_silent_under_every_search() {
    for case in race_free() {
        let all = case.explore(&Builder::new().search(Search::Dfs).max_executions(100_000));
        assert_eq!(all.verdict, Verdict::Verified, "{}: {all}", case.path);
        for (name, builder) in [
            ("default", Builder::new()),
            ("preemptions", Builder::new().preemptions(2)),
            ("dfs, reduced", Builder::new().search(Search::Dfs).reduce(true)),
            ("delays rr", Builder::new().delays(2).scheduler("rr")),
            ("delays depth-first", Builder::new().delays(2).scheduler("depth-first")),
            ("random", Builder::new().search(Search::Random).max_executions(500)),
            ("pct", Builder::new().search(Search::Pct).max_executions(500)),
            ("pos", Builder::new().search(Search::Pos).max_executions(500)),
        ] {
            let report = case.explore(&builder);
            assert!(report.finding.is_none(), "{}, {name}: {report}", case.path);
            assert_ne!(report.verdict, Verdict::Diverged, "{}, {name}: {report}", case.path);
        }
    }
}

#[test]
fn race_free_twins_are_silent_when_every_access_is_a_point() {
    for case in race_free() {
        assert_eq!(case.field("verdict"), "verified", "{}", case.path);
        for (name, builder) in [
            ("preemptions", Builder::new().preemptions(2)),
            ("delays rr", Builder::new().delays(2).scheduler("rr")),
            ("random", Builder::new().search(Search::Random).max_executions(500)),
        ] {
            for points in [Points::Racy, Points::All] {
                let report = case.explore(&builder.clone().points(points));
                assert!(report.finding.is_none(), "{}, {name}: {report}", case.path);
                assert_ne!(report.verdict, Verdict::Diverged, "{}, {name}: {report}", case.path);
            }
        }
    }
}

#[test]
fn every_program_is_a_case_and_has_its_twin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/rust/race");
    for kind in ["fail", "pass"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{kind}/{}", path.file_stem().unwrap().to_str().unwrap());
            let case = CASES.iter().find(|case| case.path == name);
            let case = case.unwrap_or_else(|| panic!("{name} is not in the list of cases"));
            let twin = CASES.iter().find(|twin| format!("{}.rs", twin.path) == case.field("twin")).unwrap();
            assert_eq!(twin.field("twin"), format!("{name}.rs"));
            assert!(case.is_racy() != case.racy_lines().is_empty(), "{name}: which lines race?");
        }
    }
    let with_consequence = racy().filter(|case| case.field("consequence") != NO_CONSEQUENCE).count();
    assert!(race_free().count() >= 32 && with_consequence >= 24, "the corpus has become too small");
}
