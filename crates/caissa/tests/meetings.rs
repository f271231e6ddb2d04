//! As `differential`, on random programs with condition variables, barriers, channels and data choices; and what a
//! finding of theirs is worth.

use crate::support::comparing;
use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicU64, Ordering::SeqCst};
use caissa::{Builder, Finding, Report, Search, Verdict, thread};

use crate::oracle::explore::{Execution, explore_all};
use crate::oracle::interpret::Outcome;
use crate::oracle::program::{Instr, Program};
use crate::oracle::random::{Options, Rng};
use crate::oracle::summary::{Measure, Summary, summarize};
use crate::support::adapter::{Outcomes, closure};
use crate::support::comparing::{
    LIMIT, agrees, agrees_unbounded, explore, loses_nothing_by_reduction, needs_no_more_points, setup,
};

/// Runs `test` on programs of every mix of kinds of instruction; it says whether a program was small enough.
fn on_random_programs(count: u64, seed: u64, test: impl Fn(&Program) -> bool) {
    comparing::on_random_programs(count, seed, |n| options(seed + n), test);
}

/// One or two of the kinds that this is about, seldom more, and few others: with many, tasks hardly ever meet.
fn options(n: u64) -> Options {
    let mut rng = Rng::new(n);
    let mut either = |times, of, bit: u64| if rng.chance(times, of) { 1 << bit } else { 0 };
    let others = either(1, 4, 0) | either(1, 6, 1) | either(1, 8, 2) | either(1, 4, 4) | either(1, 4, 7);
    let meeting = [0b1, 0b1, 0b10, 0b100, 0b100, 0b100, 0b11, 0b101][n as usize % 8];
    let meeting = meeting | either(1, 5, 3) | either(1, 5, 4);
    let options = Options::from_mask(others).meeting(meeting);
    // Many tasks that do little, or few that do more.
    match rng.below(4) {
        0 => Options { tasks: 4..=4, instrs: 1..=3, objects: 1..=1, ..options },
        1 => Options { tasks: 2..=3, instrs: 2..=4, objects: 1..=2, ..options },
        _ => Options { tasks: 3..=3, instrs: 2..=4, objects: 1..=1, ..options },
    }
}

#[test]
fn reduction_loses_nothing() {
    on_random_programs(500, 130_000, loses_nothing_by_reduction);
}

#[test]
fn unbounded_search_finds_all_interleavings() {
    on_random_programs(400, 10_000, agrees_unbounded);
}

#[test]
fn preemption_bounds_agree() {
    on_random_programs(400, 20_000, |program| agrees(program, Measure::Preemptions, 3));
}

#[test]
fn context_bounds_agree() {
    on_random_programs(200, 30_000, |program| agrees(program, Measure::Contexts, 5));
}

#[test]
fn round_robin_delay_bounds_agree() {
    on_random_programs(400, 40_000, |program| agrees(program, Measure::RoundRobin, 3));
}

#[test]
fn skipping_depth_first_delay_bounds_agree() {
    on_random_programs(400, 50_000, |program| agrees(program, Measure::SkippingDepthFirst, 3));
}

#[test]
fn plain_depth_first_delay_bounds_agree_on_programs_that_never_block() {
    let options = Options { atomics: true, yields: true, nested_spawns: true, ..Options::none() };
    let unblocked = |program: &Program| {
        let blocks = |i: &Instr| {
            matches!(i, Instr::Recv(_)) || matches!(i, Instr::Send(c, _) if program.channels[*c].is_some())
        };
        !program.tasks.iter().flatten().any(blocks)
    };
    comparing::on_random_programs(
        300,
        100_000,
        |_| options.clone().meeting(0b11100),
        |program| !unblocked(program) || agrees(program, Measure::DepthFirst, 3),
    );
}

/// What a discarded execution could not afford before it was discarded is not lost. In a deadlock the oracle's scheduler
/// can only discard.
#[test]
fn plain_depth_first_delay_bounds_agree_on_programs_without_deadlock() {
    on_random_programs(600, 120_000, |program| {
        let mut deadlocks = false;
        let visit = |execution: &Execution<'_>| deadlocks |= !execution.outcome.stuck.is_empty();
        explore_all(program, LIMIT, visit).is_ok() && (deadlocks || agrees(program, Measure::DepthFirst, 3))
    });
}

/// A bug that only shows after other executions were discarded.
#[test]
fn plain_depth_first_finds_what_lies_behind_discarded_executions() {
    let program = || {
        let number = Arc::new(AtomicU64::new(0));
        let other = {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                number.store(1, SeqCst);
                assert_ne!(number.load(SeqCst), 3);
            })
        };
        number.fetch_add(2, SeqCst);
        number.fetch_add(1, SeqCst);
        other.join().unwrap();
    };
    let report = setup(Measure::DepthFirst).bound(3).explore(program).unwrap();
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    assert_eq!(report.finding.unwrap().spent, 2);
}

/// Points that are left out lose no class at any bound, also where a new task begins with a data choice.
#[test]
fn needless_points_are_needless() {
    on_random_programs(150, 110_000, |program| {
        explore_all(program, LIMIT / 2, |_| ()).is_ok() && needs_no_more_points(program)
    });
}

/// Two workers run the same executions as one.
#[test]
fn workers_change_nothing() {
    on_random_programs(60, 60_000, |program| {
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

/// Neighbouring spawns in the opposite order: tasks have other numbers, but within each preemption bound the program
/// has the same outcomes. Whether the bound leaves executions over may differ; the oracle knows.
#[test]
fn the_order_of_creation_changes_no_outcome() {
    on_random_programs(150, 70_000, |program| {
        let Some(permuted) = with_spawns_reversed(program) else { return true };
        let all = |program| summarize(program, Measure::Preemptions, usize::MAX, LIMIT).ok();
        let (Some(known), Some(known_permuted)) = (all(program), all(&permuted)) else { return false };
        for bound in [Some(0), Some(1), Some(2), None] {
            let builder =
                bound.map_or(Builder::new().search(Search::Dfs), |bound| Builder::new().bound(bound));
            let (one, outcomes) = explore(&builder, program);
            let (other, same) = explore(&builder, &permuted);
            assert!(outcomes == same, "bound {bound:?}\n{program}\n{permuted}");
            assert_eq!(one.verdict, verdict(&known, bound), "bound {bound:?}\n{program}");
            assert_eq!(other.verdict, verdict(&known_permuted, bound), "bound {bound:?}\n{permuted}");
        }
        true
    });
}

/// What is to be said of a program within a bound, from all of its executions.
fn verdict(all: &Summary, bound: Option<u32>) -> Verdict {
    let bound = bound.map_or(usize::MAX, |bound| bound as usize);
    if all.outcomes_within(bound).iter().any(|outcome| !outcome.stuck.is_empty()) {
        Verdict::Bug
    } else if all.counts.len() <= bound.saturating_add(1) {
        Verdict::Verified
    } else {
        Verdict::Bounded
    }
}

/// Each run of neighbouring spawns in the opposite order; None if there is none. The oracle's names of the tasks stay.
fn with_spawns_reversed(program: &Program) -> Option<Program> {
    let mut permuted = program.clone();
    let spawns = |a: &Instr, b: &Instr| matches!((a, b), (Instr::Spawn(_), Instr::Spawn(_)));
    for list in &mut permuted.tasks {
        list.chunk_by_mut(spawns).for_each(<[Instr]>::reverse);
    }
    (permuted != *program && permuted.validate().is_ok()).then_some(permuted)
}

/// The cost of the cheapest deadlock within the bound, if there is one.
fn cheapest_deadlock(program: &Program, measure: Measure, bound: usize) -> Option<Option<usize>> {
    let summary = summarize(program, measure, bound, LIMIT).ok()?;
    let stuck = |(outcome, cost): (&Outcome, &usize)| (!outcome.stuck.is_empty()).then_some(*cost);
    Some(summary.outcomes.iter().filter_map(stuck).min())
}

/// The one place where these tests explore: it is the source of main's end.
fn run(builder: Builder, program: &Program) -> Report {
    let report = builder.fair(false).faults(0).explore(closure(program, &Outcomes::default()));
    report.unwrap_or_else(|error| panic!("{error}\n{program}"))
}

/// Findings are as cheap as can be, do not grow when they are minimised, and replay exactly.
#[test]
fn findings_are_minimal_and_replay() {
    let measures =
        [Measure::Preemptions, Measure::RoundRobin, Measure::SkippingDepthFirst, Measure::Contexts];
    on_random_programs(120, 80_000, |program| {
        for measure in measures {
            let bound = if measure == Measure::Contexts { 6 } else { 3 };
            let Some(cheapest) = cheapest_deadlock(program, measure, bound) else { return false };
            let builder = setup(measure).bound(bound as u32);
            let (raw, small) = (run(builder.clone().minimise(1), program), run(builder.clone(), program));
            let spent = |report: &Report| report.finding.as_ref().map(|finding| finding.spent as usize);
            assert_eq!(spent(&raw), cheapest, "the finding itself, {measure:?}\n{program}");
            assert_eq!(spent(&small), cheapest, "the minimised finding, {measure:?}\n{program}");
            let shared = run(builder.clone().workers(2), program);
            assert_eq!(spent(&shared), cheapest, "the finding of two workers, {measure:?}\n{program}");
            let (Some(raw), Some(small)) = (raw.finding, small.finding) else { continue };
            assert!(raw.minimal && small.minimal, "{measure:?}\n{program}");
            assert!(size(&small) <= size(&raw), "{measure:?}\n{program}");
            assert_replays(&raw, program);
            assert_replays(&small, program);
        }
        true
    });
}

/// The findings of an unbounded search replay too.
#[test]
fn findings_of_unbounded_searches_replay() {
    on_random_programs(200, 90_000, |program| {
        let Some(cheapest) = cheapest_deadlock(program, Measure::Preemptions, usize::MAX) else {
            return false;
        };
        let report = run(Builder::new().search(Search::Dfs), program);
        assert_eq!(report.finding.is_some(), cheapest.is_some(), "{program}");
        if let Some(finding) = report.finding {
            assert!(finding.preemptions as usize >= cheapest.unwrap(), "{program}");
            assert_replays(&finding, program);
        }
        true
    });
}

fn size(finding: &Finding) -> impl Ord + use<> {
    (finding.spent, finding.preemptions, finding.trace.schedule.steps)
}

fn assert_replays(finding: &Finding, program: &Program) {
    let schedule = finding.schedule();
    let report = run(Builder::new().replay(&schedule), program);
    assert_eq!(report.verdict, Verdict::Bug, "{schedule}\n{program}\n{report}");
    let again = report.finding.unwrap();
    assert_eq!(again.schedule(), schedule, "{program}");
    assert_eq!(again.trace.events.len(), finding.trace.events.len(), "{schedule}\n{program}");
    for (event, before) in again.trace.events.iter().zip(&finding.trace.events) {
        assert_eq!(event, before, "{schedule}\n{program}");
    }
    assert_eq!(again.bug, finding.bug, "{schedule}\n{program}");
    assert_eq!(again.preemptions, finding.preemptions, "{schedule}\n{program}");
}
