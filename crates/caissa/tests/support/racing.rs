//! What the tests of data races share: data that claims to be shared, and what must hold of programs with and without a race.
#![allow(dead_code, reason = "each test file uses a part")]

use std::panic::Location;

use caissa::cell::UnsafeCell;
use caissa::sync::Arc;
use caissa::{Builder, Finding, Report, Search, Verdict, thread};

/// Data that tasks share, without a lock.
#[derive(Default)]
pub struct Data(UnsafeCell<u32>);

// SAFETY: not at all: the tests below are about that. All tasks of a check run on one OS thread.
unsafe impl Sync for Data {}

impl Data {
    #[track_caller]
    pub fn set(&self, value: u32) {
        // SAFETY: no reference to the value is kept.
        self.0.with_mut(|data| unsafe { *data = value });
    }

    #[track_caller]
    pub fn get(&self) -> u32 {
        // SAFETY: as above.
        self.0.with(|data| unsafe { *data })
    }

    pub fn cell(&self) -> &UnsafeCell<u32> {
        &self.0
    }
}

/// Two tasks do this with what they share; waits for both.
pub fn both<S: Send + Sync + 'static>(shared: S, one: fn(&S), other: fn(&S)) {
    let shared = Arc::new(shared);
    let tasks = [one, other].map(|does| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || does(&shared))
    });
    for task in tasks {
        task.join().unwrap();
    }
}

/// Makes a statement of an expression.
pub fn ignore<T>(_: T) {}

/// Every search that there is.
pub const SEARCHES: [Search; 10] = [
    Search::Auto,
    Search::Preemptions,
    Search::Delays,
    Search::Contexts,
    Search::Depth,
    Search::Dfs,
    Search::Random,
    Search::Pct,
    Search::Pos,
    Search::Surw,
];

fn settings(search: Search) -> Builder {
    let builder = Builder::new().search(search);
    match search {
        Search::Random | Search::Pct | Search::Pos | Search::Surw => builder.max_executions(100),
        Search::Contexts => builder.bound(6),
        Search::Depth => builder.bound(40),
        _ => builder,
    }
}

/// A program has a race, by every search, and it replays; returns what the default search finds.
#[track_caller]
pub fn races(program: impl Fn() + Send + Sync + Clone + 'static) -> (Finding, String) {
    let at = Location::caller();
    let explore = |builder: Builder| builder.explore(program.clone()).unwrap_or_else(|e| panic!("{at}: {e}"));
    let mut first: Option<Report> = None;
    for search in SEARCHES {
        let report = explore(settings(search));
        let finding = report.finding.clone().unwrap_or_else(|| panic!("{at}: {search:?} found {report}"));
        assert_eq!(
            (report.verdict, finding.bug.kind()),
            (Verdict::Bug, "race"),
            "{at}: {search:?}: {report}"
        );
        let again = explore(Builder::new().replay(&finding.schedule()));
        let same = again.finding.as_ref().is_some_and(|again| again.bug.is_same_as(&finding.bug));
        assert!(same, "{at}: {search:?}: replayed: {again}");
        first.get_or_insert(report);
    }
    let report = first.expect("a search was made");
    let text = report.to_string();
    let finding = report.finding.expect("as asserted");
    let workers = explore(Builder::new().workers(2));
    assert_eq!(workers.finding.map(|found| found.schedule()), Some(finding.schedule()), "{at}: two workers");
    // The same program is nobody's concern if races are not.
    let off = explore(Builder::new().races(false));
    assert_ne!(off.finding.map(|found| found.bug.kind()), Some("race"), "{at}");
    (finding, text)
}

/// A program has no race and nothing else that is wrong, by every search.
#[track_caller]
pub fn is_silent(program: impl Fn() + Send + Sync + Clone + 'static) {
    let at = Location::caller();
    for builder in SEARCHES.map(settings).into_iter().chain([
        settings(Search::Dfs).reduce(true),
        settings(Search::Preemptions).unbounded().reduce(true),
        settings(Search::Dfs).workers(2),
        settings(Search::Dfs).force_clocks(true),
    ]) {
        let report = builder.explore(program.clone()).unwrap_or_else(|error| panic!("{at}: {error}"));
        assert!(report.finding.is_none() && report.divergence.is_none(), "{at}: {report}");
    }
}
