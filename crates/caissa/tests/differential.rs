//! The library against brute force, on random programs: the same executions, outcomes and classes at every bound.
//!
//! The oracle shares no code with the library. Seeds are fixed; a failure prints the seed and the program.

use crate::oracle::explore::explore_all;
use crate::oracle::program::Program;
use crate::oracle::random::{Options, random_program};
use crate::oracle::summary::{Measure, summarize};
use crate::support::comparing;
use crate::support::comparing::{
    LIMIT, agrees, agrees_unbounded, explore, loses_nothing_by_reduction, needs_no_more_points, setup,
};
use caissa::{Builder, Search, Verdict};

/// Runs `test` on programs of every mix of kinds of instruction; it says whether a program was small enough.
fn on_random_programs(count: u64, seed: u64, test: impl Fn(&Program) -> bool) {
    // The low bits of the mask choose the kinds; multiplying by an odd number goes through all of them.
    comparing::on_random_programs(count, seed, |n| Options::from_mask((n * 167 + 1) & 0xff), test);
}

#[test]
fn reduction_loses_nothing() {
    on_random_programs(600, 130_000, loses_nothing_by_reduction);
}

#[test]
fn reduction_loses_nothing_with_many_small_tasks() {
    let small = |n: u64| Options {
        tasks: 4..=6,
        instrs: 1..=2,
        objects: 1..=1,
        ..Options::from_mask((n * 167 + 1) | 0x91)
    };
    comparing::on_random_programs(400, 140_000, small, |program| {
        loses_nothing_by_reduction(program);
        true
    });
}

#[test]
fn unbounded_search_finds_all_interleavings() {
    on_random_programs(600, 1_000, agrees_unbounded);
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
        explore_all(program, LIMIT / 4, |_| ()).is_ok() && needs_no_more_points(program)
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
