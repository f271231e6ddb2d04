//! What the tests of single types share: the outcomes of every schedule, and findings that replay.
#![allow(dead_code, unused_macros, reason = "each test file uses a part")]

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use caissa::{Builder, Finding, Report, Search, Verdict};

/// A closure of any type: what is done with it is compiled once for each type of result.
type Closure<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// What every schedule of a closure gives, and the figures of the search.
pub struct Explored<T> {
    pub outcomes: BTreeSet<T>,
    pub executions: u64,
    pub classes: u64,
}

/// Explores every schedule of a closure that has no bug. Every unbounded search must come to the same: depth first, by
/// preemptions, by delays; and so must one with a point also where none is needed, though in more executions, and one that
/// leaves out what is equivalent, in fewer.
pub fn explored<T, F>(f: F) -> Explored<T>
where
    T: Ord + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    explored_with(Builder::new().fair(false), f)
}

/// As [`explored`], with settings other than the search.
pub fn explored_with<T, F>(base: Builder, f: F) -> Explored<T>
where
    T: Ord + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    explored_and_reduced(base, true, Arc::new(f))
}

/// As [`explored_with`]; `reduced` says whether a search that leaves out what is equivalent must come to the same. It need not
/// where tasks share something outside our types.
fn explored_and_reduced<T>(base: Builder, reduced: bool, f: Closure<T>) -> Explored<T>
where
    T: Ord + Debug + Send + 'static,
{
    let explore = |builder: Builder| explored_once(builder, Arc::clone(&f));
    let every = explore(base.clone().search(Search::Dfs));
    for search in [Search::Preemptions, Search::Delays] {
        let again = explore(base.clone().search(search).unbounded());
        let figures = (&again.outcomes, again.executions, again.classes);
        assert_eq!(figures, (&every.outcomes, every.executions, every.classes), "{search:?}");
    }
    for search in [Search::Dfs, Search::Preemptions].into_iter().filter(|_| reduced) {
        let reduced = explore(base.clone().search(search).unbounded().reduce(true));
        let figures = (&reduced.outcomes, reduced.classes);
        assert_eq!(figures, (&every.outcomes, every.classes), "{search:?}, reduced");
        assert!(reduced.executions <= every.executions, "{search:?}, reduced");
    }
    let reference = explore(base.search(Search::Dfs).reference_points(true));
    assert_eq!(
        (&reference.outcomes, reference.classes),
        (&every.outcomes, every.classes),
        "reference points"
    );
    every
}

/// Every execution of one search.
fn explored_once<T>(builder: Builder, f: Closure<T>) -> Explored<T>
where
    T: Ord + Debug + Send + 'static,
{
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&seen);
    let report = builder.explore(move || {
        let outcome = f();
        all.lock().unwrap_or_else(PoisonError::into_inner).insert(outcome);
    });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    let outcomes = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    Explored { outcomes, executions: report.executions(), classes: report.summary.classes() }
}

/// The results of a closure under every schedule.
pub fn outcomes<T, F>(f: F) -> BTreeSet<T>
where
    T: Ord + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    explored(f).outcomes
}

/// As [`outcomes`], for tasks that share something outside our types.
pub fn outcomes_of_foreign_types<T, F>(f: F) -> BTreeSet<T>
where
    T: Ord + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    explored_and_reduced(Builder::new().fair(false), false, Arc::new(f)).outcomes
}

/// The results of a closure under every schedule with at most so many faults.
pub fn outcomes_within<T, F>(faults: u32, f: F) -> BTreeSet<T>
where
    T: Ord + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    explored_with(Builder::new().fair(false).faults(faults), f).outcomes
}

/// As [`outcomes_within`], by a depth-first search alone: for tasks that share memory that is not seen as such.
pub fn outcomes_of_dfs<T, F>(faults: u32, f: F) -> BTreeSet<T>
where
    T: Ord + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync + 'static,
{
    explored_once(Builder::new().fair(false).faults(faults).search(Search::Dfs), Arc::new(f)).outcomes
}

/// The bug that the default search finds in a closure, after replaying it, and the text of the report.
pub fn finding<F>(f: F) -> (Finding, String)
where
    F: Fn() + Send + Sync + 'static,
{
    finding_with(Builder::new(), f)
}

/// As [`finding`], with these settings.
pub fn finding_with<F>(base: Builder, f: F) -> (Finding, String)
where
    F: Fn() + Send + Sync + 'static,
{
    replayed_finding(base, Arc::new(f))
}

fn replayed_finding(base: Builder, f: Closure<()>) -> (Finding, String) {
    let explore = |builder: Builder| -> Report {
        let f = Arc::clone(&f);
        builder.explore(move || f()).unwrap_or_else(|error| panic!("{error}"))
    };
    let report = explore(base.clone());
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    let text = report.to_string();
    let found = report.finding.expect("a bug has a finding");
    let again = explore(base.replay(&found.schedule()));
    assert_eq!(again.verdict, Verdict::Bug, "{again}");
    let replayed = again.finding.expect("a bug has a finding");
    assert_eq!(replayed.bug, found.bug);
    assert_eq!(replayed.trace, found.trace);
    assert!(text.contains(&format!("CAISSA_REPLAY={}", found.schedule())), "{text}");
    (found, text)
}

/// Asserts that a text has all of these parts.
pub fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// A test that runs the same code with std's `sync` and `thread`, with ours outside a check, and with ours under every
/// schedule of a check. All must give the same.
macro_rules! like_std {
    ($name:ident -> $result:ty $body:block) => {
        #[test]
        fn $name() {
            #[allow(unused_imports)]
            fn std_does() -> $result {
                use std::{sync, thread, thread_local};
                $body
            }
            #[allow(unused_imports)]
            fn caissa_does() -> $result {
                use caissa::{sync, thread, thread_local};
                $body
            }
            let expected = std_does();
            assert_eq!(caissa_does(), expected, "outside a check");
            assert_eq!(
                $crate::support::types_outcomes::outcomes(caissa_does),
                [expected].into(),
                "inside a check"
            );
        }
    };
}
