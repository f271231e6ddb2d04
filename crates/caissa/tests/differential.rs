//! The library against brute force, on random programs: the same executions, outcomes and classes at every bound.
//!
//! The oracle shares no code with the library. Seeds are fixed; a failure prints the seed and the program.

#[path = "support/adapter.rs"]
mod adapter;
mod oracle;

use std::collections::BTreeSet;

use adapter::{Outcomes, closure};
use caissa::{Builder, Report, Search, Verdict};
use oracle::explore::explore_all;
use oracle::interpret::Outcome;
use oracle::program::Program;
use oracle::random::{Options, random_program};
use oracle::summary::{Measure, summarize};

/// Programs with more executions than this are left out.
const LIMIT: u64 = 4_000;

fn explore(builder: &Builder, program: &Program) -> (Report, BTreeSet<Outcome>) {
    let outcomes = Outcomes::default();
    let builder = builder.clone().keep_going(true).minimise(1).max_executions(10_000_000);
    let report =
        builder.explore(closure(program, &outcomes)).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
    (report, outcomes)
}

fn setup(measure: Measure) -> Builder {
    match measure {
        Measure::Preemptions => Builder::new().search(Search::Preemptions),
        Measure::Contexts => Builder::new().search(Search::Contexts),
        Measure::RoundRobin => Builder::new().search(Search::Delays).scheduler("rr"),
        Measure::DepthFirst => Builder::new().search(Search::Delays).scheduler("depth-first-plain"),
        Measure::SkippingDepthFirst => Builder::new().search(Search::Delays).scheduler("depth-first"),
    }
}

/// Compares executions per exact cost, outcomes and classes within each bound up to `bound`. False if the program is
/// too large.
fn agrees(program: &Program, measure: Measure, bound: u32) -> bool {
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

/// Runs `test` on programs of every mix of kinds of instruction; it says whether a program was small enough.
fn on_random_programs(count: u64, seed: u64, test: impl Fn(&Program) -> bool) {
    let mut tested = 0;
    for n in 0..count {
        // The low bits of the mask choose the kinds; multiplying by an odd number goes through all of them.
        let options = Options::from_mask((n * 167 + 1) & 0xff);
        let program = random_program(seed + n, &options);
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

#[test]
fn unbounded_search_finds_all_interleavings() {
    on_random_programs(600, 1_000, |program| {
        let (mut executions, mut known) = (0u64, BTreeSet::new());
        let mut classes = BTreeSet::new();
        let visit = |execution: &oracle::explore::Execution<'_>| {
            executions += 1;
            known.insert(execution.outcome.clone());
            classes.insert(execution.class());
        };
        if explore_all(program, LIMIT, visit).is_err() {
            return false;
        }
        let (report, outcomes) = explore(&Builder::new().search(Search::Dfs), program);
        assert_eq!(report.executions(), executions, "{program}");
        assert_eq!(report.summary.classes(), classes.len() as u64, "{program}");
        assert!(outcomes == known, "{program}");
        true
    });
}

#[test]
fn preemption_bounds_agree() {
    on_random_programs(600, 2_000, |program| agrees(program, Measure::Preemptions, 3));
}

#[test]
fn context_bounds_agree() {
    on_random_programs(300, 3_000, |program| agrees(program, Measure::Contexts, 5));
}

#[test]
fn round_robin_delay_bounds_agree() {
    on_random_programs(600, 4_000, |program| agrees(program, Measure::RoundRobin, 3));
}

#[test]
fn skipping_depth_first_delay_bounds_agree() {
    on_random_programs(600, 5_000, |program| agrees(program, Measure::SkippingDepthFirst, 3));
}

#[test]
fn plain_depth_first_delay_bounds_agree_on_programs_that_never_block() {
    let mut options = Options::none();
    options.atomics = true;
    options.yields = true;
    options.nested_spawns = true;
    for seed in 0..200 {
        let program = random_program(6_000 + seed, &options);
        agrees(&program, Measure::DepthFirst, 3);
    }
}

/// n tasks with k conflicting steps each, at every bound that has executions.
#[test]
fn closed_forms_agree_at_every_bound() {
    for (tasks, steps) in [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)] {
        for measure in Measure::ALL {
            let program = Program::adders(tasks, steps);
            assert!(agrees_at_every_bound(&program, measure), "{tasks} tasks x {steps} steps, {measure:?}");
        }
        for measure in
            [Measure::Preemptions, Measure::Contexts, Measure::RoundRobin, Measure::SkippingDepthFirst]
        {
            let program = Program::joined_adders(tasks, steps);
            assert!(
                agrees_at_every_bound(&program, measure),
                "{tasks} joined tasks x {steps} steps, {measure:?}"
            );
        }
    }
}

fn agrees_at_every_bound(program: &Program, measure: Measure) -> bool {
    let expected = summarize(program, measure, usize::MAX, 200_000).unwrap();
    let (report, _) = explore(&setup(measure).unbounded(), program);
    let counts: Vec<u64> = report.summary.bounds.iter().map(|bound| bound.executions).collect();
    let mut known = expected.counts.clone();
    known.resize(counts.len(), 0);
    report.verdict == Verdict::Verified && counts == known
}

/// Points that are left out lose no class at any bound: with them, more executions but the same classes.
#[test]
fn needless_points_are_needless() {
    on_random_programs(300, 7_000, |program| {
        if explore_all(program, LIMIT / 4, |_| ()).is_err() {
            return false;
        }
        for measure in [Measure::Preemptions, Measure::RoundRobin, Measure::SkippingDepthFirst] {
            let builder = setup(measure).bound(2);
            let (without, outcomes) = explore(&builder, program);
            let (with, reference) = explore(&builder.reference_points(true), program);
            assert!(outcomes == reference, "{measure:?}\n{program}");
            assert_eq!(without.summary.classes(), with.summary.classes(), "{measure:?}\n{program}");
        }
        true
    });
}

/// Two workers run the same executions as one.
#[test]
fn workers_change_nothing() {
    on_random_programs(60, 8_000, |program| {
        if explore_all(program, LIMIT, |_| ()).is_err() {
            return false;
        }
        for builder in [Builder::new().search(Search::Dfs), Builder::new(), setup(Measure::RoundRobin)] {
            let (one, outcomes) = explore(&builder, program);
            let (two, same) = explore(&builder.workers(2), program);
            assert_eq!(one.verdict, two.verdict, "{program}");
            assert!(outcomes == same, "{program}");
            assert_eq!(one.summary.bounds, two.summary.bounds, "{program}");
        }
        true
    });
}
