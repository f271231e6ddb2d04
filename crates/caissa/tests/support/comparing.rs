//! Compares the library with the oracle on a program.

use std::collections::BTreeSet;

use caissa::{Builder, Report, Search, Verdict};

use crate::oracle::explore::{Execution, explore_all};
use crate::oracle::interpret::Outcome;
use crate::oracle::program::Program;
use crate::oracle::random::{Options, random_program};
use crate::oracle::summary::{Measure, summarize};
use crate::support::adapter::{Outcomes, closure};

/// Programs with more executions than this are left out.
pub const LIMIT: u64 = 4_000;

pub fn explore(builder: &Builder, program: &Program) -> (Report, BTreeSet<Outcome>) {
    let outcomes = Outcomes::default();
    let builder = builder.clone().keep_going(true).minimise(1).max_executions(10_000_000).faults(0);
    let report =
        builder.explore(closure(program, &outcomes)).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
    (report, outcomes)
}

/// What the oracles know of: yields that rule nothing out.
fn every_schedule() -> Builder {
    Builder::new().fair(false)
}

pub fn setup(measure: Measure) -> Builder {
    match measure {
        Measure::Preemptions => every_schedule().search(Search::Preemptions),
        Measure::Contexts => every_schedule().search(Search::Contexts),
        Measure::RoundRobin => every_schedule().search(Search::Delays).scheduler("rr"),
        Measure::DepthFirst => every_schedule().search(Search::Delays).scheduler("depth-first-plain"),
        Measure::SkippingDepthFirst => every_schedule().search(Search::Delays).scheduler("depth-first"),
    }
}

/// Compares executions per exact cost, outcomes and classes within each bound up to `bound`. False if the program is
/// too large.
pub fn agrees(program: &Program, measure: Measure, bound: u32) -> bool {
    let Ok(expected) = summarize(program, measure, bound as usize, LIMIT) else { return false };
    let (report, outcomes) = explore(&setup(measure).bound(bound), program);
    assert_ne!(report.verdict, Verdict::Diverged, "{measure:?} {program}\n{report}");
    let mut classes = 0;
    for cost in 0..=bound as usize {
        let at = report.summary.bounds.get(cost).copied().unwrap_or_default();
        classes += at.new_classes;
        let executions = expected.counts.get(cost).copied().unwrap_or(0);
        assert_eq!(at.executions, executions, "executions of cost {cost}, {measure:?}\n{program}");
        let known = expected.classes_within(cost).len() as u64;
        assert_eq!(classes, known, "classes within cost {cost}, {measure:?}\n{program}");
    }
    // Executions that are cut or discarded leave outcomes too, which are not those of whole executions.
    if !matches!(measure, Measure::Contexts | Measure::DepthFirst) {
        let known: BTreeSet<Outcome> =
            expected.outcomes_within(bound as usize).into_iter().cloned().collect();
        assert!(outcomes == known, "outcomes within cost {bound}, {measure:?}\n{program}");
    }
    true
}

/// As `agrees`, for all interleavings.
pub fn agrees_unbounded(program: &Program) -> bool {
    let (mut executions, mut known) = (0u64, BTreeSet::new());
    let mut classes = BTreeSet::new();
    let visit = |execution: &Execution<'_>| {
        executions += 1;
        known.insert(execution.outcome.clone());
        classes.insert(execution.class());
    };
    if explore_all(program, LIMIT, visit).is_err() {
        return false;
    }
    let (report, outcomes) = explore(&every_schedule().search(Search::Dfs), program);
    assert_eq!(report.executions(), executions, "{program}");
    assert_eq!(report.summary.classes(), classes.len() as u64, "{program}");
    assert!(outcomes == known, "{program}");
    true
}

/// Whether leaving out equivalent executions loses no outcome and no class: unbounded and at each bound.
pub fn loses_nothing_by_reduction(program: &Program) -> bool {
    if explore_all(program, LIMIT, |_| ()).is_err() {
        return false;
    }
    let bounds = (0..=3).map(|bound| (format!("bound {bound}"), setup(Measure::Preemptions).bound(bound)));
    let dfs = ("dfs".to_owned(), every_schedule().search(Search::Dfs));
    for (what, builder) in bounds.chain([dfs]) {
        let (all, outcomes) = explore(&builder, program);
        let (fewer, same) = explore(&builder.clone().reduce(true), program);
        // At a small bound a task that only joined may be left in more ways.
        let slack = if what == "dfs" { 0 } else { all.executions() + 10 };
        assert!(fewer.executions() <= all.executions() + slack, "{what}\n{program}");
        assert_eq!(fewer.summary.classes(), all.summary.classes(), "{what}\n{program}");
        // The dearest executions may all be equivalent to cheaper ones.
        let verified = all.verdict == Verdict::Bounded && fewer.verdict == Verdict::Verified;
        assert!(fewer.verdict == all.verdict || verified, "{what}\n{program}");
        assert!(outcomes == same, "{what}\n{program}");
        if what == "dfs" || what == "bound 2" {
            // Two workers know less of each other, and may run more.
            let (shared, same) = explore(&builder.reduce(true).workers(2), program);
            assert_eq!(shared.summary.classes(), all.summary.classes(), "two workers, {what}\n{program}");
            assert!(outcomes == same, "two workers, {what}\n{program}");
        }
    }
    true
}

/// Whether the points that are left out add no outcome and no class within each bound.
pub fn needs_no_more_points(program: &Program) -> bool {
    for measure in [Measure::Preemptions, Measure::RoundRobin, Measure::SkippingDepthFirst] {
        let builder = setup(measure).bound(2);
        let (without, outcomes) = explore(&builder, program);
        let (with, reference) = explore(&builder.reference_points(true), program);
        assert!(outcomes == reference, "{measure:?}\n{program}");
        assert_eq!(without.summary.classes(), with.summary.classes(), "{measure:?}\n{program}");
    }
    true
}

/// Runs `test` on random programs; it says whether a program was small enough.
pub fn on_random_programs(
    count: u64,
    seed: u64,
    options: impl Fn(u64) -> Options,
    test: impl Fn(&Program) -> bool,
) {
    let mut tested = 0;
    for n in 0..count {
        let program = random_program(seed + n, &options(n));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(&program)));
        match result {
            Ok(small) => tested += small as u64,
            Err(payload) => {
                eprintln!("seed {seed} + {n}\n{program}");
                std::panic::resume_unwind(payload);
            }
        }
    }
    assert!(tested * 2 > count, "only {tested} of {count} programs were small enough");
}
